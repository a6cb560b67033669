import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Fixture } from '../fixtures/fixture.js';
import { loadContract, uncovered, type Validate } from '../fixtures/load.js';
import { type ContractRuntime, ProtocolError } from '../protocol/protocol.js';
import { inProcess, spawnRuntime } from '../protocol/runtimes.js';
import { runContract, type Verdict } from './run.js';

/** Exit statuses of {@link runCli}. */
export const CONTRACT_EXIT = { passed: 0, failed: 1, invalid: 2, protocol: 3 } as const;

/** The parts that the program provides. */
export interface CliParts {
  /** The folder of the fixtures. */
  readonly folder: string;
  /** The validator of JSON Schema. */
  readonly validate: Validate;
  /** The runtime that is tested without `--cmd`. */
  readonly createRuntime: () => Promise<ContractRuntime>;
  /** True for a fixture that this runtime can pass. Default: all. */
  readonly selects?: (fixture: Fixture) => boolean;
  /** Called with each line of the output. */
  readonly write: (line: string) => void;
}

const FLAGS = {
  area: { type: 'string' },
  id: { type: 'string', multiple: true },
  cmd: { type: 'string' },
  'timeout-ms': { type: 'string', default: '10000' },
  report: { type: 'string' },
  bail: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const HELP = `Compares a runtime with the contract fixtures. Without --cmd it tests the TypeScript packages.

  --area <list>      only fixtures of these areas, separated by commas: detection,answers
  --id <id>          only this fixture (repeatable)
  --cmd <command>    starts the runtime to test; it communicates over standard input and output
  --timeout-ms <n>   timeout for each response of the runtime in milliseconds (default 10000)
  --report <file>    writes the results as JSON to this file
  --bail             stops at the first failure
  --list             prints the ids and names of the fixtures
  --help             this text

exit code: 0 all fixtures passed, 1 a fixture failed, 2 invalid flags or fixtures, 3 the runtime broke the protocol`;

/** The contract runner's command line; resolves to the exit status. */
export async function runCli(args: readonly string[], parts: CliParts): Promise<number> {
  const { write } = parts;
  const flags = readFlags(args);
  if (typeof flags === 'string') {
    write(flags);
    return flags === HELP ? CONTRACT_EXIT.passed : CONTRACT_EXIT.invalid;
  }
  const contract = loadContract(parts.folder, parts.validate);
  const isSelected = selector(flags);
  const fixtures = contract.fixtures.filter((fixture) => isSelected(fixture.id) && (parts.selects?.(fixture) ?? true));
  const invalid = contract.invalid.filter(({ id }) => isSelected(id));
  for (const { id, problem } of invalid) write(`INVALID ${id}: ${problem}`);
  if (invalid.length > 0) return CONTRACT_EXIT.invalid;
  if (fixtures.length === 0) {
    write('no fixture is selected');
    return CONTRACT_EXIT.invalid;
  }
  if (flags.list) {
    for (const { id, name } of fixtures) write(`${id}: ${name}`);
    return CONTRACT_EXIT.passed;
  }
  const whole = flags.area === undefined && flags.id === undefined && parts.selects === undefined;
  try {
    const runtime = flags.cmd === undefined ? inProcess(await parts.createRuntime()) : spawnRuntime(flags.cmd);
    const verdicts = await runContract(runtime, contract, fixtures, {
      timeoutMs: flags.timeoutMs,
      bail: flags.bail,
      onVerdict: (verdict) => report(verdict, write),
    });
    return conclude(verdicts, whole ? uncovered(contract) : [], flags.report, write);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    write(`PROTOCOL ${error.message}`);
    return CONTRACT_EXIT.protocol;
  }
}

interface Flags {
  readonly area: readonly string[] | undefined;
  readonly id: readonly string[] | undefined;
  readonly cmd: string | undefined;
  readonly timeoutMs: number;
  readonly report: string | undefined;
  readonly bail: boolean;
  readonly list: boolean;
}

/** The flags, or the text to print instead: their problem, or the help. */
function readFlags(args: readonly string[]): Flags | string {
  try {
    const { values } = parseArgs({ args: [...args], options: FLAGS, strict: true });
    if (values.help) return HELP;
    const timeoutMs = Number(values['timeout-ms']);
    if (!Number.isInteger(timeoutMs) || timeoutMs < 1) return '--timeout-ms must be a whole number of at least 1';
    const { area, id, cmd, report: file, bail, list } = values;
    return { area: area?.split(','), id, cmd, timeoutMs, report: file, bail, list };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function selector({ area, id }: Flags): (fixture: string) => boolean {
  return (fixture) =>
    (id === undefined || id.includes(fixture)) && (area === undefined || area.includes(fixture.split('/', 1)[0] ?? ''));
}

/** One line for each failed fixture: its first difference, and the number of further ones. */
function report({ id, outcome, failures, reason }: Verdict, write: (line: string) => void): void {
  if (outcome !== 'failed') return;
  write(`FAIL ${id}${describe(failures) ?? `: ${reason}`}`);
}

function describe([first, ...more]: Verdict['failures']): string | undefined {
  if (first === undefined) return undefined;
  const step = first.step === null ? '' : ` step ${first.step}`;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `${step} ${first.path}: expected ${first.expected}, found ${first.found}${rest}`;
}

function conclude(
  verdicts: readonly Verdict[],
  open: readonly string[],
  file: string | undefined,
  write: (line: string) => void,
): number {
  for (const requirement of open) write(`FAIL requirement ${requirement} is covered by no fixture`);
  const count = (outcome: Verdict['outcome']) => verdicts.filter((verdict) => verdict.outcome === outcome).length;
  const totals = { passed: count('passed'), failed: count('failed') + open.length, skipped: count('skipped') };
  write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  if (file !== undefined) {
    const body = { ...totals, uncovered: open, fixtures: verdicts };
    writeFileSync(file, `${JSON.stringify(body, null, 2)}\n`);
  }
  return totals.failed === 0 ? CONTRACT_EXIT.passed : CONTRACT_EXIT.failed;
}
