import { parseArgs } from 'node:util';
import { didYouMean } from '@sallyport/core/internal';
import type { Command } from './command.js';
import { invalidUsage } from './errors.js';

/** A parsed command line. */
export interface CommandLine {
  readonly positionals: readonly string[];
  /** The only positional. @throws FrameworkError `cli.usage` with this problem for none and for several */
  only(problem: string): string;
  /** True if the flag is given. */
  has(flag: string): boolean;
  /** The value of a flag; `undefined` if absent. */
  text(flag: string): string | undefined;
  /** All values of a repeatable flag. */
  list(flag: string): readonly string[];
  /** The value of a number flag, checked against its bounds. */
  number(flag: string, bounds: { readonly least: number; readonly most: number }): number | undefined;
}

/**
 * Parses the arguments after the name of a command.
 *
 * @throws FrameworkError `cli.usage`, with the nearest flag for an unknown one
 */
export function parseCommandLine(args: readonly string[], flags: Command['flags']): CommandLine {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type }]) => [
      name,
      { type: type === 'boolean' ? ('boolean' as const) : ('string' as const), multiple: true as const },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const positionals: string[] = [];
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (!flag) throw invalidUsage(`unknown flag ${token.rawName}${didYouMean(token.name, Object.keys(flags))}`);
    const given = values.get(token.name) ?? [];
    if (given.length > 0 && !flag.multiple) throw invalidUsage(`${token.rawName} must not be repeated`);
    if (flag.type === 'boolean' && token.value !== undefined)
      throw invalidUsage(`${token.rawName} does not accept a value`);
    if (flag.type !== 'boolean' && !token.value) throw invalidUsage(`${token.rawName} requires a value`);
    values.set(token.name, [...given, token.value ?? '']);
  }
  const text = (flag: string) => values.get(flag)?.[0];
  return {
    positionals,
    only(problem) {
      const [name, ...more] = positionals;
      if (name === undefined || more.length > 0) throw invalidUsage(problem);
      return name;
    },
    has: (flag) => values.has(flag),
    text,
    list: (flag) => values.get(flag) ?? [],
    number(flag, { least, most }) {
      const given = text(flag);
      if (given === undefined) return undefined;
      const value = Number(given);
      if (!(value >= least && value <= most)) {
        throw invalidUsage(`--${flag} must be a number from ${least} to ${most} (got "${given}")`);
      }
      return value;
    },
  };
}
