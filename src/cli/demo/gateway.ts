/**
 * The gateway of the demonstration: an HTTP service on a free port of the loopback interface. It writes where it
 * listens to `address.json` in its home, logs what it does, ends on SIGTERM, and exits as it is asked to:
 * `POST /exit?code=78`.
 */
import { renameSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import process from "node:process";

const profile = process.argv[2] ?? "default";
const log = (line: string): void => void process.stdout.write(`${profile}: ${line}\n`);

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  response.setHeader("connection", "close");
  if (request.method === "POST" && pathname === "/exit") {
    const code = Number(searchParams.get("code"));
    log(`asked to exit with ${code}`);
    response.end(`exiting with ${code}\n`, () => process.exit(code));
    return;
  }
  log(`${request.method} ${pathname}`);
  response.end(`Hello from ${profile}, pid ${process.pid}\n`);
}

function writeAddress(url: string): void {
  writeFileSync("address.json.new", JSON.stringify({ pid: process.pid, url }));
  renameSync("address.json.new", "address.json");
}

const server = createServer(answer);
process.on("SIGTERM", () => {
  log("SIGTERM: finishing");
  server.close(() => process.exit(0));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : address}/`;
  log(`pid ${process.pid} listens on ${url}`);
  writeAddress(url);
});
