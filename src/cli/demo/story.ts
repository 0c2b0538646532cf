/** The steps of the demonstration, each on what the one before left. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { readLog } from "../../host/read_log.ts";
import type { ServiceManager, State, Status } from "../../manager.ts";
import { until } from "./until.ts";

/** What the demonstration works with. */
export interface Stage {
  readonly manager: ServiceManager;
  readonly profile: string;
  /** The gateway's home. */
  readonly home: string;
  /** Tells what was done, and what came of it. */
  readonly tell: (done: string, result: string) => void;
  /** Shows what the gateway wrote. */
  readonly show: (text: string) => void;
  /** Ends the demonstration early. */
  readonly signal: AbortSignal;
}

/** Where the gateway listens, as it wrote it down. */
interface Address {
  readonly pid: number;
  readonly url: string;
}

const LIMIT_MS = 20_000;
const LOG_LINES = 8;

/** Runs the whole demonstration. */
export async function tellStory(stage: Stage): Promise<void> {
  const { manager, profile, tell, show } = stage;

  await manager.registerProfileGateway(profile);
  const first = await nextAddress(stage, undefined);
  tell(`gatewarden register ${profile}`, `s6 supervises it now, and started it as pid ${first.pid}`);

  tell(`gatewarden status ${profile}`, describe(await manager.status(profile)));
  tell(`curl ${first.url}`, await request("GET", first.url));

  process.kill(first.pid, "SIGKILL");
  const second = await nextAddress(stage, first.pid);
  tell(`kill -KILL ${first.pid}`, `s6 started it again, as pid ${second.pid}`);

  await request("POST", `${second.url}exit?code=78`);
  tell(`curl -X POST .../exit?code=78`, describe(await reach(stage, "parked")));

  await manager.start(profile);
  const third = await nextAddress(stage, second.pid);
  tell(`gatewarden start ${profile}`, describe(await manager.status(profile)));
  tell(`curl ${third.url}`, await request("GET", third.url));

  tell(`gatewarden logs -n ${LOG_LINES} ${profile}`, "what it wrote, and when:");
  show(await readLastLines(stage));

  await manager.unregisterProfileGateway(profile);
  tell(`gatewarden unregister ${profile}`, describe(await reach(stage, "unregistered")));
}

/** Waits until a gateway listens that is not the one before. */
async function nextAddress({ home, profile, signal }: Stage, before: number | undefined): Promise<Address> {
  return await until(`see ${profile} listen`, LIMIT_MS, signal, () => {
    const address = readAddress(join(home, "address.json"));
    return address?.pid === before ? undefined : address;
  });
}

function readAddress(path: string): Address | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Waits until the gateway is in a state. */
async function reach({ manager, profile, signal }: Stage, state: State): Promise<Status> {
  return await until(`see ${profile} ${state}`, LIMIT_MS, signal, async () => {
    const status = await manager.status(profile);
    return status.state === state ? status : undefined;
  });
}

async function request(method: string, url: string): Promise<string> {
  const response = await fetch(url, { method, signal: AbortSignal.timeout(LIMIT_MS) });
  return (await response.text()).trimEnd();
}

/** The last lines of the gateway's log. */
export async function readLastLines(
  { manager, profile }: Pick<Stage, "manager" | "profile">,
): Promise<string> {
  const path = await manager.logDirectory(profile);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of readLog({ path: path ?? "" }, { lines: LOG_LINES })) {
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

/** What a gateway is doing, as the end of a line. */
function describe({ state, pid, parkedReason }: Status): string {
  switch (state) {
    case "unregistered":
      return "its slot, its supervisor and its logger are gone";
    case "parked":
      return `parked: ${parkedReason}`;
    default:
      return pid === null ? state : `${state}, pid ${pid}`;
  }
}
