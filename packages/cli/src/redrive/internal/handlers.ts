import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fromJson, membersOf, stringOf } from '@sallyport/core/internal';
import { runLocal } from '../../internal/aws-access.js';
import type { Around } from '../../internal/command.js';
import type { CommandLine } from '../../internal/command-line.js';
import { invalidUsage } from '../../internal/errors.js';
import type { DeadLetter } from './letters.js';

/** The inventory that `sallyport build` writes. */
const DEFAULT_INVENTORY = 'dist/inventory.json';

/**
 * The check that a handler of the application receives a dead letter; without an inventory, every letter passes.
 *
 * @throws FrameworkError `cli.usage` for a file that is not an inventory
 */
export async function unhandledBy(
  line: CommandLine,
  around: Around,
): Promise<(letter: DeadLetter) => string | undefined> {
  const inventory = line.has('dev') ? await runLocal('routes', around) : readInventory(line.text('inventory'), around);
  if (inventory === undefined) return () => undefined;
  const triggers = Array.isArray(inventory.triggers) ? inventory.triggers.map(membersOf) : [];
  return ({ destination }) => {
    const source = sourceNames(destination);
    if (source === undefined) return undefined;
    const { kind, names } = source;
    if (triggers.some((trigger) => trigger.kind === kind && names.includes(stringOf(trigger.name)))) return undefined;
    return `no handler for the ${kind} "${names[0]}" is registered: it would not be handled`;
  };
}

function readInventory(
  file: string | undefined,
  { cwd }: Around,
): Readonly<Record<string, unknown>> | undefined {
  const path = resolve(cwd, file ?? DEFAULT_INVENTORY);
  if (file === undefined && !existsSync(path)) return undefined;
  if (!existsSync(path)) throw invalidUsage(`the inventory ${file} does not exist: run sallyport build`);
  const inventory = membersOf(fromJson(readFileSync(path, 'utf8')));
  if (inventory.version !== 1) throw invalidUsage(`${path} is not an inventory of version 1: run sallyport build`);
  return inventory;
}

/** The names by which an application registers the source: its name or its ARN. */
function sourceNames(destination: DeadLetter['destination']) {
  if (destination.kind === 'queue') return { kind: 'queue', names: namesOf(destination.arn, ':') };
  if (destination.kind !== 'records') return undefined;
  const { source, streamArn } = destination.batch;
  if (source === 'stream') return { kind: source, names: namesOf(streamArn, '/') };
  const [table = streamArn] = streamArn.split('/stream/');
  return { kind: source, names: namesOf(table, '/') };
}

function namesOf(arn: string, separator: string): readonly string[] {
  return [arn.split(separator).at(-1) ?? arn, arn];
}
