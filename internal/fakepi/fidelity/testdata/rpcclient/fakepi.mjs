// Runs fakepi where a program runs "node CLI ...", with the streams and signals of this process.
import { spawn } from "node:child_process";

const child = spawn(process.env.FAKEPI_PROGRAM, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
	console.error(error.message);
	process.exit(1);
});
child.on("exit", (code, signal) => {
	if (signal === null) process.exit(code);
	process.removeAllListeners(signal);
	process.kill(process.pid, signal);
});
