import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { AWS_FLAGS, awsAccess } from '../internal/aws-access.js';
import { type Around, type Command, EXIT } from '../internal/command.js';
import { parseCommandLine } from '../internal/command-line.js';
import { invalidUsage } from '../internal/errors.js';
import { guarded } from '../internal/guarded.js';
import { exportedHistory } from './internal/exported.js';
import { readHistory } from './internal/read.js';

const FLAGS: Command['flags'] = {
  function: { type: 'text', help: 'the name of the function, if you pass the name of an execution' },
  payloads: { type: 'text', help: 'shapes: placeholders for all values (default); all: values without secrets' },
  keep: { type: 'text', multiple: true, help: 'a member, or the name of an operation, whose values are kept' },
  remove: { type: 'text', multiple: true, help: 'a member to remove everywhere' },
  out: { type: 'text', help: 'the file to write (default: standard output)' },
  dev: { type: 'boolean', help: 'read an execution of sallyport dev' },
  ...AWS_FLAGS,
};

/** `sallyport history export <execution>`: writes the history of an execution without secrets, for `explore`. */
export const HISTORY_COMMAND: Command = {
  usage: 'history export <execution>',
  does: 'writes the history of a durable execution without values, to replay it against a new version',
  flags: FLAGS,
  run: guarded(history),
};

async function history(args: readonly string[], around: Around): Promise<number> {
  const line = parseCommandLine(args, FLAGS);
  const [action, name, ...more] = line.positionals;
  if (action !== 'export' || name === undefined || more.length > 0) {
    throw invalidUsage('name one execution: sallyport history export <arn> --out histories/export-7.json');
  }
  const payloads = line.text('payloads') ?? 'shapes';
  if (payloads !== 'shapes' && payloads !== 'all') {
    throw invalidUsage(`--payloads must be "shapes" or "all" (got "${payloads}")`);
  }
  if (payloads === 'all' && line.has('keep')) throw invalidUsage('--keep has no effect with --payloads all');
  const access = await awsAccess(line, around);
  const read = await readHistory(access, name, line.text('function'));
  const exported = exportedHistory(read, { payloads, keep: line.list('keep'), remove: line.list('remove') });
  const text = `${JSON.stringify(exported, undefined, 2)}\n`;
  const out = line.text('out');
  if (out === undefined) around.out(text);
  else {
    const file = resolve(around.cwd, out);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
    around.err(`saved ${relative(around.cwd, file)}: ${exported.count} events, payloads: ${payloads}\n`);
  }
  return EXIT.ok;
}
