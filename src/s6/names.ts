/**
 * Names of the folders that verbs use for a moment in a scandir. They start with a dot, so that s6-svscan never looks
 * at them, and name their maker, so that what a killed run left can be told from what is in use.
 */

const PREFIX = ".gatewarden-";
/** The file system's limit, in bytes; the names are ASCII. */
const NAME_MAX = 255;

/** Who made a folder: a process, so that it can be seen whether it still lives. */
export interface Owner {
  /** The inode of its process id namespace. */
  readonly pidNamespace: string;
  readonly pid: number;
  /** When it started, in clock ticks since boot. */
  readonly startTime: number;
  /** Tells its folders apart. */
  readonly serial: string;
}

/** An owner as part of a name. */
export function formatOwner({ pidNamespace, pid, startTime, serial }: Owner): string {
  return `${pidNamespace}-${pid}-${startTime}-${serial}`;
}

/** Reads an owner; undefined when the text is none. */
export function parseOwner(text: string): Owner | undefined {
  const [, pidNamespace, pid, startTime, serial] = /^(\d+)-(\d+)-(\d+)-([0-9a-z]+)$/.exec(text.trim()) ?? [];
  if (pidNamespace === undefined || pid === undefined || startTime === undefined || serial === undefined) {
    return;
  }
  return { pidNamespace, pid: Number(pid), startTime: Number(startTime), serial };
}

/** The folder in which a slot is built. The service's name is cut where it would not fit. */
export function stagingName(service: string, owner: string): string {
  return temporaryName(service, `new.${owner}`);
}

/** The folder a slot becomes when it is taken out. */
export function retiredName(service: string, owner: string): string {
  return temporaryName(service, `old.${owner}`);
}

function temporaryName(service: string, suffix: string): string {
  return `${PREFIX}${service.slice(0, NAME_MAX - PREFIX.length - suffix.length - 1)}.${suffix}`;
}

/** The owner of a temporary folder; undefined when the name is not that of one. */
export function ownerOfName(name: string): Owner | undefined {
  if (!name.startsWith(PREFIX)) return undefined;
  const [, owner] = /\.(?:new|old)\.([^.]*)$/.exec(name) ?? [];
  return owner === undefined ? undefined : parseOwner(owner);
}
