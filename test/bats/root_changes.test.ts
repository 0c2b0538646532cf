import { describe, expect, it } from "vitest";
import { byRoot, findChanges } from "../../bats/fixtures/root_changes.ts";
import { parseTrace, splitArguments, unquote } from "../../bats/fixtures/strace.ts";

/** What root changes below /data, by the lines of a trace; process 1 is root's, in /run/service. */
function offences(...lines: string[]): string[] {
  const trace = ['1 openat(AT_FDCWD</run/service>, ".", O_RDONLY) = 3</run/service>', ...lines].join("\n");
  return byRoot(findChanges(trace, ["/data"])).map(({ path }) => path);
}

describe("parseTrace", () => {
  it("puts a call that was interrupted where it began", () => {
    const calls = parseTrace([
      "1 vfork( <unfinished ...>",
      '2 chdir("/data" <unfinished ...>',
      "1 <... vfork resumed>) = 2",
      "2 <... chdir resumed>) = 0",
      "3 +++ exited with 0 +++",
      "2 --- SIGCHLD {si_signo=SIGCHLD} ---",
      "4 pause( <unfinished ...>",
    ].join("\n"));
    expect(calls.map(({ pid, name, args, result }) => [pid, name, args, result])).toEqual([
      [1, "vfork", [], "2"],
      [2, "chdir", ['"/data"'], "0"],
      [4, "pause", [], "?"],
    ]);
  });
});

describe("splitArguments", () => {
  it("splits at no comma in a string or in brackets", () => {
    expect(splitArguments('3</a,b>, "x, \\"y", {flags=A, mode=0}, [1, 2] /* 3 vars */')).toEqual([
      "3</a,b>",
      '"x, \\"y"',
      "{flags=A, mode=0}",
      "[1, 2] /* 3 vars */",
    ]);
  });
});

describe("unquote", () => {
  it.each([
    ['"/a b"', "/a b"],
    ['"a\\"\\\\b\\n\\303"', 'a"\\b\n\u00c3'],
    ["NULL", undefined],
    ["0x7ffe", undefined],
  ])("%s", (text, expected) => {
    expect(unquote(text)).toBe(expected);
  });
});

describe("findChanges", () => {
  it.each([
    'open("/data/x", O_WRONLY) = 3</data/x>',
    'openat(AT_FDCWD</run/service>, "/data/x", O_RDONLY|O_CREAT, 0600) = -1 EACCES (Permission denied)',
    'openat2(AT_FDCWD</run/service>, "/data/x", {flags=O_RDWR|O_CLOEXEC, resolve=0}, 24) = 3</data/x>',
    'creat("/data/x", 0600) = 3</data/x>',
    'mkdir("/data/x", 0755) = -1 EEXIST (File exists)',
    'mkdirat(5</data>, "x", 0755) = 0',
    'mknod("/data/x", S_IFIFO|0600) = 0',
    'mknodat(AT_FDCWD</data>, "x", S_IFIFO|0600) = 0',
    'rmdir("/data/x") = 0',
    'unlink("/data/y/../x") = 0',
    'unlinkat(5</data>, "x", AT_REMOVEDIR) = 0',
    'rename("/run/x", "/data/x") = 0',
    'rename("/data/x", "/run/x") = 0',
    'renameat2(AT_FDCWD</run>, "/run/x", 5</data>, "x", RENAME_EXCHANGE) = 0',
    'link("/data/x", "/run/x") = 0',
    'linkat(AT_FDCWD</run>, "x", AT_FDCWD</run>, "/data/x", 0) = 0',
    'symlink("/run/x", "/data/x") = 0',
    'symlinkat("/run/x", 5</data>, "x") = 0',
    'chmod("/data/x", 0600) = 0',
    'fchmodat(AT_FDCWD</data>, "x", 0600) = 0',
    "fchmod(5</data/x>, 0600) = 0",
    'chown("/data/x", 0, 0) = 0',
    'lchown("/data/x", 0, 0) = 0',
    'fchownat(AT_FDCWD</run>, "/data/x", 0, 0, AT_SYMLINK_NOFOLLOW) = 0',
    'fchownat(5</data/x>, "", 0, 0, AT_EMPTY_PATH) = 0',
    "fchown(5</data/x>, 0, 0) = 0",
    'truncate("/data/x", 0) = 0',
    "ftruncate(5</data/x>(deleted), 0) = 0",
    'utimensat(AT_FDCWD</run>, "/data/x", NULL, 0) = 0',
    "utimensat(5</data/x>, NULL, NULL, 0) = 0",
    'setxattr("/data/x", "user.a", "b", 1, 0) = 0',
    'bind(5<socket:[1]>, {sa_family=AF_UNIX, sun_path="/data/x"}, 110) = 0',
  ])("sees %s", (call) => {
    expect(offences(`1 ${call}`)).toEqual(["/data/x"]);
  });

  it.each([
    'open("/data/x", O_RDONLY|O_NOFOLLOW|O_NONBLOCK) = 3</data/x>',
    'stat("/data/x", {st_mode=S_IFREG|0600, st_size=0, ...}) = 0',
    'chdir("/data") = 0',
    'mkdir("/data", 0755) = 0',
    'mkdir("/database/x", 0755) = 0',
    'openat(AT_FDCWD</data>, "/run/x", O_WRONLY|O_CREAT, 0600) = 3</run/x>',
    'symlink("/data/x", "/run/x") = 0',
    "fchmod(5<pipe:[123]>, 0600) = 0",
  ])("lets %s be", (call) => {
    expect(offences(`1 ${call}`)).toEqual([]);
  });

  it("sees where a link led to", () => {
    expect(offences('1 open("/run/link", O_WRONLY) = 3</data/x>')).toEqual(["/data/x"]);
  });

  it("follows a process from folder to folder, and its children and threads", () => {
    expect(offences(
      '1 chdir("/data") = 0',
      '1 mkdir("one", 0755) = 0',
      "1 vfork() = 2",
      '2 chdir("deep") = 0',
      '2 mkdir("two", 0755) = 0',
      '1 mkdir("three", 0755) = 0',
      "1 clone3({flags=CLONE_VM|CLONE_FS|CLONE_THREAD, stack_size=0x9000}, 88) = 3",
      "3 fchdir(4</data/elsewhere>) = 0",
      '1 mkdir("four", 0755) = 0',
      '1 chdir("/run") = 0',
      '3 mkdir("five", 0755) = 0',
    )).toEqual(["/data/one", "/data/deep/two", "/data/three", "/data/elsewhere/four"]);
  });

  it("lets another user be, and that user's children, from the moment that root is given up", () => {
    expect(offences(
      "1 vfork( <unfinished ...>",
      '2 mkdir("/data/one", 0755) = 0',
      "2 setuid(10000) = 0",
      '2 mkdir("/data/two", 0755) = 0',
      "2 vfork() = 4",
      '4 mkdir("/data/three", 0755) = 0',
      "1 <... vfork resumed>) = 2",
      '1 mkdir("/data/four", 0755) = 0',
    )).toEqual(["/data/one", "/data/four"]);
  });

  it.each([
    ["setreuid(10000, 10000)", []],
    ["setresuid(-1, 10000, -1)", []],
    ["setresuid(10000, -1, -1)", ["/data/x"]],
    ["setgid(10000)", ["/data/x"]],
  ])("%s", (call, expected) => {
    expect(offences(`1 ${call} = 0`, '1 mkdir("/data/x", 0755) = 0')).toEqual(expected);
  });

  it("takes one for root who could not become another user", () => {
    expect(offences("1 setuid(10000) = -1 EPERM (Operation not permitted)", '1 rmdir("/data/x") = 0'))
      .toEqual(["/data/x"]);
  });

  it("takes a process that it knows nothing of for root, and its relative paths for any", () => {
    expect(offences('9 mkdir("x", 0755) = 0', '9 mkdir("/data/x", 0755) = 0')).toEqual(["?", "/data/x"]);
  });
});
