// The gate of the scripts: an extension that asks before bash runs, in the way that a word of the command names.
type Verdict = { block: true; reason: string } | undefined;

const allow: Verdict = undefined;
const block = (reason: string): Verdict => ({ block: true, reason });

// By the word: the question, and what becomes of the call.
const questions: Record<string, (ui: any, command: string) => Promise<Verdict>> = {
	"ask-select": async (ui) =>
		(await ui.select("Allow this command?", ["Allow", "Block"])) === "Allow" ? allow : block("Blocked by user"),
	"ask-confirm-timeout": async (ui, command) =>
		(await ui.confirm("Run command?", command, { timeout: 1000 })) ? allow : block("Not confirmed"),
	"ask-confirm": async (ui, command) => ((await ui.confirm("Run command?", command)) ? allow : block("Not confirmed")),
	"ask-input": async (ui) => ((await ui.input("Type yes to allow", "")) === undefined ? block("Blocked by user") : allow),
	"ask-editor": async (ui, command) => ((await ui.editor("Edit the command", command)) ? allow : block("No text")),
	"say-select": async (ui) => {
		const answer = await ui.select("Allow this command?", ["Allow", "Block"]);
		return answer === "Allow" ? allow : block(`Blocked by user (${answer})`);
	},
	"say-input": async (ui) => {
		const answer = await ui.input("Type yes to allow", "yes");
		return answer === "yes" ? allow : block(`Input was ${answer}`);
	},
	"tell-all": async (ui) => {
		ui.notify("about to run", "info");
		ui.setStatus("gate", "running");
		ui.setWidget("gate", ["line 1", "line 2"]);
		ui.setTitle("pi - demo");
		return allow;
	},
	"gate-fails": async () => {
		throw new Error("gate failed");
	},
};

export default function (pi: any) {
	pi.on("tool_call", async (event: any, ctx: any) => {
		const command = String(event.input.command ?? "");
		const word = Object.keys(questions).find((name) => command.includes(name));
		if (event.toolName !== "bash" || word === undefined) return allow;
		if (!ctx.hasUI) return block("Blocked: no UI to ask");
		return questions[word](ctx.ui, command);
	});
}
