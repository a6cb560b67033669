import { spawnSync } from 'node:child_process';
import { devNull } from 'node:os';

/** The maximum output of git: the names of all files. */
const MAX_BYTES = 512 * 1024 * 1024;
/** The output and exit code of a command; `null` without git. */
export interface GitAnswer {
  readonly status: number | null;
  readonly stdout: string;
}

type Settings = readonly (readonly [name: string, value: string])[];

/**
 * Settings of a repository that run a program in `check-ignore` and `status`, disabled: a file system monitor, hooks (`status`
 * writes the index), transports (a missing object is fetched), and a pager.
 *
 * @see https://git-scm.com/docs/git-config
 */
const OFF: Settings = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['core.pager', 'cat'],
  ['core.sshCommand', 'false'],
  ['protocol.allow', 'never'],
  ['fetch.recurseSubmodules', 'false'],
  ['submodule.recurse', 'false'],
];
/** Programs that file attributes name: each has a separate section. */
const OF_ATTRIBUTES =
  /^(?:filter\..+\.(?:clean|smudge|process|required)|diff\..+\.(?:command|textconv)|merge\..+\.driver)$/is;

/**
 * Runs git in an untrusted repository. None of its settings runs a program: the folder can be an archive from another
 * author.
 */
export function runGit(root: string, args: readonly string[], input = ''): GitAnswer {
  const listed = git(root, ['config', '--list', '--name-only', '--null'], '', OFF);
  const programs = listed.stdout.split('\0').filter((name) => OF_ATTRIBUTES.test(name));
  const ofAttributes = programs.map((name) => [name, name.endsWith('.required') ? 'false' : ''] as const);
  return git(root, args, input, [...OFF, ...ofAttributes]);
}

function git(root: string, args: readonly string[], input: string, settings: Settings): GitAnswer {
  // Variables can have any section name, and take precedence over the files of the repository.
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  const env = {
    ...process.env,
    GIT_CONFIG_COUNT: String(settings.length),
    ...(Object.fromEntries(pairs) as Record<string, string>),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
  };
  // Git before 2.31 does not read these variables: settings with a fixed name are also passed as flags.
  const flags = OFF.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { status, stdout } = spawnSync('git', [...flags, ...args], {
    cwd: root,
    env,
    input,
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
  });
  return { status, stdout: stdout ?? '' };
}
