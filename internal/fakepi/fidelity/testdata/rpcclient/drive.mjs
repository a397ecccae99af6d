// Drives a worker by Pi's own RpcClient and prints what the client was told, without what differs from run to run.
import { pathToFileURL } from "node:url";

const [packageDir, cliPath] = process.argv.slice(2);
const { RpcClient } = await import(pathToFileURL(`${packageDir}/dist/index.js`).href);
const client = new RpcClient({ cliPath });
const told = {};
const typesOf = (events) => events.map((event) => event.assistantMessageEvent?.type ?? event.type).filter((type, i, all) => type !== all[i - 1]);
const settled = () => new Promise((resolve) => {
	const stop = client.onEvent((event) => {
		if (event.type !== "agent_settled") return;
		stop();
		resolve(event);
	});
});
const next = (wanted) => new Promise((resolve) => {
	const stop = client.onEvent((event) => {
		if (event.assistantMessageEvent?.type !== wanted && event.type !== wanted) return;
		stop();
		resolve(event);
	});
});
const stateOf = ({ isStreaming, isCompacting, messageCount, pendingMessageCount, sessionName, model, thinkingLevel }) =>
	({ isStreaming, isCompacting, messageCount, pendingMessageCount, sessionName, model: model.id, thinkingLevel });

await client.start();
told.idle = stateOf(await client.getState());
told.models = (await client.getAvailableModels()).map((model) => model.id);

told.first = typesOf(await client.promptAndWait("Say hello."));
told.text = await client.getLastAssistantText();

told.tool = typesOf(await client.promptAndWait("Run echo hi."));
told.messages = (await client.getMessages()).map((message) => [message.role, message.content?.[0]?.text ?? message.content?.[0]?.type]);

const streams = next("text_delta");
const aborted = settled();
told.disposition = await client.prompt("Talk for ever.");
await streams;
told.streaming = stateOf(await client.getState());
await client.steer("And this.");
told.queued = stateOf(await client.getState()).pendingMessageCount;
told.cleared = await client.clearQueue();
await client.abort();
told.aborted = (await aborted).aborted;
told.busy = await client.prompt("x".repeat(3)).then(() => "taken", (error) => error.message);
await client.waitForIdle();

await client.setSessionName("named");
told.named = stateOf(await client.getState());
const { userMessages, assistantMessages, toolCalls, toolResults, totalMessages } = await client.getSessionStats();
told.stats = { userMessages, assistantMessages, toolCalls, toolResults, totalMessages };
told.entries = (await client.getEntries()).entries.map((entry) => entry.message?.role ?? entry.type);
told.forks = (await client.getForkMessages()).map((message) => message.text);
told.levels = await client.getAvailableThinkingLevels();
told.missing = await client.switchSession(`${process.cwd()}/none/session.jsonl`).then(() => "taken", () => "refused");
told.fresh = await client.newSession();
told.empty = stateOf(await client.getState());
await client.stop();
told.stderr = client.getStderr();
console.log(JSON.stringify(told, null, "\t"));
