package pi16

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/schema"
)

// commands are those that no other dialect has.
var commands = []string{native.CmdGetThinkingLevels, native.CmdClearQueue, native.CmdGetEntries, native.CmdGetTree}

// data is that of the responses that no other dialect has so.
var data = []schema.Case[native.Data]{
	schema.Of[native.Data](schema.NewObject(func(v *native.PromptData) **native.Odd { return &v.Odd },
		schema.Key("disposition", str, func(v *native.PromptData) *string { return &v.Disposition }),
	), native.CmdPrompt, native.CmdSteer, native.CmdFollowUp),
	schema.Of[native.Data](schema.NewObject(func(v *native.LevelsData) **native.Odd { return &v.Odd },
		schema.Key("levels", strs, func(v *native.LevelsData) *[]string { return &v.Levels }),
	), native.CmdGetThinkingLevels),
	schema.Of[native.Data](schema.NewObject(func(v *native.QueueData) **native.Odd { return &v.Odd },
		schema.Key("steering", strs, func(v *native.QueueData) *[]string { return &v.Steering }),
		schema.Key("followUp", strs, func(v *native.QueueData) *[]string { return &v.FollowUp }),
	), native.CmdClearQueue),
	schema.Of[native.Data](schema.NewObject(func(v *native.EntriesData) **native.Odd { return &v.Odd },
		schema.Key("entries", entries, func(v *native.EntriesData) *[]native.Entry { return &v.Entries }),
		schema.Key("leafId", nullStr, func(v *native.EntriesData) *string { return &v.LeafID }),
	), native.CmdGetEntries),
	schema.Of[native.Data](schema.NewObject(func(v *native.TreeData) **native.Odd { return &v.Odd },
		schema.Key("tree", schema.List(treeNode), func(v *native.TreeData) *[]native.TreeNode { return &v.Tree }),
		schema.Key("leafId", nullStr, func(v *native.TreeData) *string { return &v.LeafID }),
	), native.CmdGetTree),
}

var treeNode = newTreeNode()

func newTreeNode() *schema.Object[native.TreeNode] {
	node := schema.NewObject(func(v *native.TreeNode) **native.Odd { return &v.Odd })
	node.Add(
		schema.Key("entry", entry, func(v *native.TreeNode) *native.Entry { return &v.Entry }),
		schema.Key("children", schema.List(node), func(v *native.TreeNode) *[]native.TreeNode { return &v.Children }),
		schema.Key("label", optStr, func(v *native.TreeNode) *native.Opt[string] { return &v.Label }),
		schema.Key("labelTimestamp", optStr, func(v *native.TreeNode) *native.Opt[string] { return &v.LabelTimestamp }),
	)
	return node
}
