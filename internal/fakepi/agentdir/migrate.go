package agentdir

import (
	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// migrated are settings in the form of today, in which Pi also writes them back: under the keys of today, and with nothing
// that has no place any more.
func migrated(o native.Object) native.Object {
	if mode := o.Get("queueMode"); mode != nil && o.Get("steeringMode") == nil {
		o = with(without(o, "queueMode"), "steeringMode", mode)
	}
	if on, ok := o.Get("websockets").(native.Bool); ok && o.Get("transport") == nil {
		transport := native.String("sse")
		if on {
			transport = "websocket"
		}
		o = with(without(o, "websockets"), "transport", transport)
	}
	if skills, ok := o.Get("skills").(native.Object); ok {
		o = migratedSkills(o, skills)
	}
	if retry, ok := o.Get("retry").(native.Object); ok {
		o = with(o, "retry", migratedRetry(retry))
	}
	return o
}

func migratedSkills(o, skills native.Object) native.Object {
	if commands := skills.Get("enableSkillCommands"); commands != nil && o.Get("enableSkillCommands") == nil {
		o = with(o, "enableSkillCommands", commands)
	}
	if folders, _ := skills.Get("customDirectories").(native.Array); len(folders) > 0 {
		return with(o, "skills", folders)
	}
	return without(o, "skills")
}

func migratedRetry(retry native.Object) native.Object {
	provider, _ := retry.Get("provider").(native.Object)
	_, null := provider.Get("maxRetryDelayMs").(native.Null)
	if delay, ok := retry.Get("maxDelayMs").(native.Number); ok && (null || provider.Get("maxRetryDelayMs") == nil) {
		retry = with(retry, "provider", with(provider, "maxRetryDelayMs", delay))
	}
	return without(retry, "maxDelayMs")
}

func with(o native.Object, key string, v native.Value) native.Object {
	return fakepi.Setting{Key: key, Value: v}.In(o)
}

// without is an object in which a key, if it has it, is undefined.
func without(o native.Object, key string) native.Object {
	if o.Get(key) == nil {
		return o
	}
	return with(o, key, nil)
}
