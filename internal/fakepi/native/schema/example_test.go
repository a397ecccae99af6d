package schema_test

import (
	"fmt"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/schema"
)

// A dialect lists the keys of each object once, in order; encoding and decoding follow.
func ExampleNewObject() {
	type retry = native.RetryEnd
	object := schema.NewObject(func(r *retry) **native.Odd { return &r.Odd },
		schema.Const[retry]("type", "auto_retry_end"),
		schema.Key("success", schema.Bool{}, func(r *retry) *bool { return &r.Success }),
		schema.Key("attempt", schema.Int{}, func(r *retry) *int64 { return &r.Attempt }),
		schema.Key("finalError", schema.Opt(schema.String{}), func(r *retry) *native.Opt[string] { return &r.FinalError }),
	)
	fmt.Printf("%s\n", object.Append(nil, &retry{Success: true, Attempt: 2}))

	from, err := native.ParseValue([]byte(`{"type":"auto_retry_end","attempt":"two","success":false,"mood":"sad"}`))
	if err != nil {
		fmt.Println(err)
	}
	var (
		reader schema.Reader
		read   retry
	)
	object.Read(&reader, from, &read)
	for _, u := range reader.Found() {
		fmt.Println(u.Path, u.Reason)
	}
	fmt.Printf("%s\n", object.Append(nil, &read))
	// Output:
	// {"type":"auto_retry_end","success":true,"attempt":2}
	// $.attempt wrong type
	// $.mood unknown field
	// {"type":"auto_retry_end","attempt":"two","success":false,"mood":"sad"}
}
