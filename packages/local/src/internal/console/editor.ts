import { spawn } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, relative, resolve } from 'node:path';
import { localError } from '../errors.js';
import type { OpenRequest } from './api.js';

/**
 * The arguments of editors that open a separate window, by the name of their program.
 *
 * @see https://code.visualstudio.com/docs/configure/command-line
 * @see https://www.jetbrains.com/help/idea/opening-files-from-command-line.html
 * @see https://www.sublimetext.com/docs/command_line.html
 * @see https://zed.dev/docs/reference/cli
 */
const goto = (place: string) => ['--goto', place];
const plain = (place: string) => [place];
const jetBrains = (_place: string, path: string, line: number, column: number) => [
  '--line',
  String(line),
  '--column',
  String(column),
  path,
];
type Arguments = (place: string, path: string, line: number, column: number) => readonly string[];
const EDITORS: Readonly<Record<string, Arguments>> = {
  code: goto,
  'code-insiders': goto,
  codium: goto,
  cursor: goto,
  windsurf: goto,
  subl: plain,
  zed: plain,
  idea: jetBrains,
  webstorm: jetBrains,
};

/** An editor that can be started. */
export interface Editor {
  /** `code`. */
  readonly name: string;
  /** Resolves when the process has started. @throws FrameworkError `local.invalid_request`, `local.not_found` */
  open(request: OpenRequest): Promise<void>;
}

/**
 * The editor of a command line, for example `code --new-window`: words separated by spaces, no shell. `undefined` for an editor of the
 * terminal, such as vi, and without a command.
 *
 * @param folder the project: only its files are opened
 */
export function findEditor(command: string | undefined, folder: string): Editor | undefined {
  const [program = '', ...words] = (command ?? '').split(' ').filter((word) => word !== '' && word !== '--wait');
  const name = basename(program).replace(/\.(?:exe|cmd|bat)$/i, '');
  const toArguments = Object.hasOwn(EDITORS, name) ? EDITORS[name] : undefined;
  if (!toArguments) return undefined;
  return {
    name,
    open({ file, line, column }) {
      const path = insideOf(folder, file);
      return start(program, [...words, ...toArguments(`${path}:${line}:${column}`, path, line, column)]);
    },
  };
}

/** The absolute path of a file of the project; links are followed. */
function insideOf(folder: string, file: string): string {
  const unknown = () =>
    localError('local.not_found', `framework: the project has no file ${JSON.stringify(file)} that can be opened`);
  try {
    const path = realpathSync(resolve(folder, file));
    const from = relative(realpathSync(folder), path);
    if (from.startsWith('..') || isAbsolute(from) || !statSync(path).isFile()) throw unknown();
    return path;
  } catch {
    throw unknown();
  }
}

function start(program: string, args: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { shell: false, detached: true, stdio: 'ignore' });
    child.once('spawn', () => {
      child.unref();
      done();
    });
    child.once('error', ({ message }) =>
      fail(
        localError(
          'local.invalid_request',
          `framework: the editor ${JSON.stringify(program)} cannot be started (${message}): name another with --editor`,
        ),
      ),
    );
  });
}
