import { resolve } from 'node:path';
import { isObject, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { runLocal } from '../../internal/aws-access.js';
import type { Around } from '../../internal/command.js';
import type { CommandLine } from '../../internal/command-line.js';
import { invalidUsage } from '../../internal/errors.js';
import { readJsonIfThere } from '../../internal/template.js';
import type { DeadLetter } from './letters.js';

/**
 * The check that a handler of the application receives a dead letter; without an inventory, every letter passes. On AWS the physical name of a source
 * contains the registered one: `Orders-orders-1A2B` for `orders`.
 *
 * @throws FrameworkError `cli.usage` for a file that is not an inventory
 */
export async function unhandledBy(
  line: CommandLine,
  around: Around,
): Promise<(letter: DeadLetter) => string | undefined> {
  const isDev = line.has('dev');
  const inventory = isDev ? await runLocal('routes', around) : readInventory(line.text('inventory'), around);
  if (inventory === undefined) return () => undefined;
  const triggers = Array.isArray(inventory.triggers) ? inventory.triggers.filter(isObject) : [];
  return ({ destination }) => {
    const source = sourceNames(destination);
    if (source === undefined) return undefined;
    const { kind, names } = source;
    const isHandled = triggers.some(({ kind: own, name }) => {
      const registered = stringOf(name);
      return (
        own === kind &&
        (names.includes(registered) || (!isDev && plainSource(names[0]).includes(plainSource(registered))))
      );
    });
    if (isHandled) return undefined;
    return `no handler for the ${kind} "${names[0]}" is registered: it would not be handled`;
  };
}

function readInventory(file: string | undefined, { cwd }: Around): Members | undefined {
  if (file === undefined) return undefined;
  const inventory = membersOf(readJsonIfThere(resolve(cwd, file)));
  if (inventory.version !== 1) throw invalidUsage(`${file} is not an inventory of version 1: run sallyport build`);
  return inventory;
}

const plainSource = (text = '') => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The names by which an application registers the source: its name or its ARN. */
function sourceNames(destination: DeadLetter['destination']) {
  if (destination.kind === 'queue') return { kind: 'queue', names: resourceNamesOf(destination.arn, ':') };
  if (destination.kind !== 'records') return undefined;
  const { source, streamArn } = destination.batch;
  if (source === 'stream') return { kind: source, names: resourceNamesOf(streamArn, '/') };
  const [table = streamArn] = streamArn.split('/stream/');
  return { kind: source, names: resourceNamesOf(table, '/') };
}

function resourceNamesOf(arn: string, separator: string): readonly string[] {
  return [arn.split(separator).at(-1) ?? arn, arn];
}
