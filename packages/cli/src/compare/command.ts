import { type Around, type Command, EXIT } from '../internal/command.js';
import { parseCommandLine } from '../internal/command-line.js';
import { invalidUsage } from '../internal/errors.js';
import { guarded } from '../internal/guarded.js';
import { type Finding, findingsOf } from './internal/differences.js';
import { type LambdaHandler, loadHandler } from './internal/handlers.js';
import { invokeOnce } from './internal/invoke.js';
import { readEvents } from './internal/recordings.js';

const FLAGS: Command['flags'] = {
  old: { type: 'text', help: 'the old handler: file and export, as dist/old.handler' },
  new: { type: 'text', help: 'the new handler: file and export, as dist/new.handler' },
  ignore: { type: 'text', multiple: true, help: 'a path that may differ: headers.etag, body.request_id' },
  timeout: { type: 'number', help: 'milliseconds for each invocation (default 30000)' },
  json: { type: 'boolean', help: 'print one JSON object with the differences' },
};

/** `sallyport compare <recordings…>`: runs recorded events through two handlers, and prints how their results differ. */
export const COMPARE_COMMAND: Command = {
  usage: 'compare <recordings…> --old <file.export> --new <file.export>',
  does: 'runs recorded events through an old and a new handler, and prints the differences',
  flags: FLAGS,
  run: guarded(compare),
};

/** The differences of one event. */
interface Compared {
  readonly file: string;
  readonly findings: readonly Finding[];
}

async function compare(args: readonly string[], around: Around): Promise<number> {
  const line = parseCommandLine(args, FLAGS);
  const [oldName, newName] = [line.text('old'), line.text('new')];
  if (oldName === undefined || newName === undefined) throw invalidUsage('name both handlers: --old and --new');
  const events = readEvents(around.cwd, line.positionals);
  const timeoutMs = line.number('timeout', { least: 1, most: 900_000 }) ?? 30_000;
  const handlers: LambdaHandler[] = [];
  for (const name of [oldName, newName]) {
    const loaded = await loadHandler(around.cwd, name);
    if (typeof loaded === 'string') {
      around.err(`sallyport: ${loaded}\n`);
      return EXIT.build;
    }
    handlers.push(loaded);
  }
  const [before, after] = handlers as [LambdaHandler, LambdaHandler];
  const compared: Compared[] = [];
  // One after the other, so that what an event changes is there for the next, in both services.
  for (const { file, event } of events) {
    const was = await invokeOnce(before, event, timeoutMs);
    const is = await invokeOnce(after, event, timeoutMs);
    compared.push({ file, findings: findingsOf(was, is, line.list('ignore')) });
  }
  const differing = compared.filter(({ findings }) => findings.length > 0);
  if (line.has('json')) {
    const counts = { compared: compared.length, equal: compared.length - differing.length };
    around.out(`${JSON.stringify({ type: 'compare', ...counts, differences: differing })}\n`);
  } else around.out(reportOf(compared.length, differing));
  return differing.length > 0 ? EXIT.failed : EXIT.ok;
}

function reportOf(count: number, differing: readonly Compared[]): string {
  const lines = differing.flatMap(({ file, findings }) =>
    findings.map(({ path, before, after }) => `${file}: ${path}: ${before} → ${after}\n`),
  );
  return `${lines.join('')}${count} compared, ${count - differing.length} equal, ${differing.length} different\n`;
}
