import { join, relative, resolve } from 'node:path';
import { sha256 } from '@sallyport/core/internal';
import { AWS_FLAGS, awsAccess } from '../internal/aws-access.js';
import { type Around, type Command, EXIT } from '../internal/command.js';
import { type CommandLine, parseCommandLine } from '../internal/command-line.js';
import { invalidUsage } from '../internal/errors.js';
import { guarded } from '../internal/guarded.js';
import { createDeliver } from './internal/deliver.js';
import { parseFilter } from './internal/filter.js';
import { unhandledBy } from './internal/handlers.js';
import { Journal } from './internal/journal.js';
import type { DeadLetter } from './internal/letters.js';
import { createQueues, type FailureQueue } from './internal/queues.js';
import { resultLine, stepJson, stepLine } from './internal/report.js';
import { Redrive, type RedriveResult, type Step } from './internal/run.js';
import { saveEvents } from './internal/save-events.js';

const FLAGS: Command['flags'] = {
  filter: { type: 'text', multiple: true, help: 'reason=*Timeout*, body.order.id=A-1: send only messages that match' },
  rate: { type: 'number', help: 'messages a second, 0.1 to 1000 (default 10)' },
  limit: { type: 'number', help: 'the largest number of messages to send' },
  watch: {
    type: 'number',
    help: 'seconds to watch for messages that fail again after the last one, 0 to 3600 (default 60)',
  },
  'dry-run': { type: 'boolean', help: 'list the messages, and send none' },
  save: {
    type: 'text',
    help: 'the folder for one sanitized event of each selected message, for sallyport replay --as-test',
  },
  to: { type: 'text', help: 'the ARN of the queue or function for messages that do not name their source' },
  inventory: { type: 'text', help: 'the inventory of sallyport build: keep messages whose source has no handler' },
  journal: { type: 'text', help: 'the journal of sent messages (default in .sallyport/redrive)' },
  dev: { type: 'boolean', help: 'use the queues of sallyport dev' },
  json: { type: 'boolean', help: 'print one JSON object a line' },
  ...AWS_FLAGS,
};

/** `sallyport redrive <queue>`: lists dead letters, and sends them back. */
export const REDRIVE_COMMAND: Command = {
  usage: 'redrive <queue>',
  does: 'lists the messages of a failure queue, and sends them back to their source',
  flags: FLAGS,
  run: guarded(redrive),
};

async function redrive(args: readonly string[], around: Around): Promise<number> {
  const line = parseCommandLine(args, FLAGS);
  const name = line.only('name one queue, or its failure queue: sallyport redrive orders --dry-run');
  const isDry = line.has('dry-run');
  const selected: DeadLetter[] = [];
  const settings = {
    filter: parseFilter(line.list('filter')),
    rate: line.number('rate', { least: 0.1, most: 1000 }) ?? 10,
    limit: line.number('limit', { least: 1, most: 1_000_000 }) ?? Number.POSITIVE_INFINITY,
    watchSeconds: line.number('watch', { least: 0, most: 3600 }) ?? 60,
    to: arnOf(line.text('to')),
    signal: around.signal,
    report(step: Step) {
      if (step.action !== 'excluded' && step.action !== 'deleted') selected.push(step.letter);
      around.out(line.has('json') ? stepJson(step) : stepLine(step));
    },
  };
  const unhandled = await unhandledBy(line, around);
  const access = await awsAccess(line, around);
  const queues = await createQueues(access);
  const queue = await queues.failureQueue(name);
  const journal = isDry ? undefined : openJournal(queue, line, around);
  try {
    if (journal?.isResumed) {
      around.err(`${queue.name}: continuing a run that did not end\n`);
      for (const { id, hiddenUntil } of journal.interrupted()) {
        around.err(`${queue.name}: ${id} was sent to its function, and may be hidden until ${hiddenUntil}\n`);
      }
    }
    const deliver = createDeliver(access, queues);
    const result = await new Redrive(queue, queues, deliver, journal, { ...settings, unhandled }).run();
    journal?.end(new Date());
    const folder = line.text('save');
    const files = folder === undefined ? [] : await saveEvents(access, resolve(around.cwd, folder), selected);
    for (const file of files) around.err(`saved ${relative(around.cwd, file)}\n`);
    return await conclude(queue, result, line, around);
  } finally {
    journal?.close();
  }
}

function arnOf(to: string | undefined): string | undefined {
  if (to !== undefined && !/^arn:[^:]+:(?:sqs|lambda):/.test(to)) {
    throw invalidUsage(`--to must be the ARN of a queue or a function (got "${to}")`);
  }
  return to;
}

/** One journal for each queue: queues of several accounts can have the same name. */
function openJournal({ name, arn }: FailureQueue, line: CommandLine, { cwd }: Around): Journal {
  const file = line.text('journal') ?? join('.sallyport', 'redrive', `${name}-${sha256(arn).slice(0, 8)}.jsonl`);
  return new Journal(resolve(cwd, file), arn, new Date());
}

async function conclude(
  queue: FailureQueue,
  result: RedriveResult,
  line: CommandLine,
  { out, err }: Around,
): Promise<number> {
  const { counts, end } = result;
  const { hidden } = await queue.counts();
  if (line.has('json')) out(`${JSON.stringify({ type: 'redriven', queue: queue.arn, end, ...counts, hidden })}\n`);
  else out(resultLine(queue.name, result));
  const isNoMatch = counts.excluded > 0 && counts.sent + counts['would-send'] + counts.kept === 0;
  if (isNoMatch && end === 'complete') err(`sallyport: the filter matches none of ${counts.excluded} messages\n`);
  if (hidden > 0)
    err(`${queue.name}: about ${hidden} messages are hidden by another receiver: run again in 2 minutes\n`);
  return end !== 'complete' || isNoMatch || counts.kept > 0 ? EXIT.failed : EXIT.ok;
}
