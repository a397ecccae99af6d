package sqlite

import "database/sql"

// OpenWatched opens a store that calls before with each statement, right before it is executed.
func OpenWatched(path string, before func(statement string)) (*Store, error) {
	return open(path, before)
}

// DB is the store's database.
func (s *Store) DB() *sql.DB { return s.db }
