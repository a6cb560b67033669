import { RULES, type Rule } from '../plan/plan.js';

/** The parsed command line. */
export type Command =
  | { readonly kind: 'help' | 'version' }
  | { readonly kind: 'usage'; readonly problem: string }
  | {
      readonly kind: 'migrate';
      readonly root: string;
      readonly apply: boolean;
      /** Write over changes that are not committed. */
      readonly force: boolean;
      readonly json: boolean;
      readonly map: string | undefined;
      readonly rules: readonly Rule[];
      /** The releases of Sallyport between which a service moves; absent for another framework. */
      readonly upgrade?: { readonly from: string; readonly to: string };
    };

const FLAGS: Readonly<Record<string, 'text' | 'switch'>> = {
  root: 'text',
  apply: 'switch',
  'dry-run': 'switch',
  force: 'switch',
  json: 'switch',
  map: 'text',
  rules: 'text',
  from: 'text',
  to: 'text',
  help: 'switch',
  version: 'switch',
};
const ON = ['true', '1', 't', 'T', 'TRUE', 'True'];
const OFF = ['false', '0', 'f', 'F', 'FALSE', 'False'];

/** Reads the command line: one dash or two, `-root path` or `-root=path`. */
export function parseCommand(args: readonly string[]): Command {
  const given = new Map<string, string>();
  const rest = [...args];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [, name = '', value] = /^--?([a-z]+(?:-[a-z]+)*)(?:=([\s\S]*))?$/.exec(argument) ?? [];
    const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
    if (flag === undefined)
      return usage(argument.startsWith('-') ? `unknown flag ${argument}` : `unexpected argument ${argument}`);
    if (given.has(name)) return usage(`-${name} is given twice`);
    const found = value ?? (flag === 'switch' ? 'true' : rest.shift());
    if (found === undefined) return usage(`-${name} needs a value`);
    if (flag === 'switch' && ![...ON, ...OFF].includes(found)) return usage(`-${name} is true or false`);
    given.set(name, found);
  }
  return toCommand(given);
}

function toCommand(given: ReadonlyMap<string, string>): Command {
  if (ON.includes(given.get('help') ?? '')) return { kind: 'help' };
  if (ON.includes(given.get('version') ?? '')) return { kind: 'version' };
  const rules = given.get('rules')?.split(',') ?? [...RULES];
  const unknown = rules.find((rule) => !isRule(rule));
  if (unknown !== undefined) return usage(`there is no rule '${unknown}': there are ${RULES.join(', ')}`);
  const root = given.get('root') ?? '.';
  const map = given.get('map');
  if (root === '') return usage('-root is empty');
  const [from, to] = [given.get('from'), given.get('to')];
  if ((from === undefined) !== (to === undefined)) return usage('-from and -to belong together: -from 0.1 -to 0.2');
  if (from !== undefined && (map !== undefined || given.has('rules')))
    return usage('-from and -to have their own mapping and rules: leave -map and -rules out');
  const isOn = (name: string) => ON.includes(given.get(name) ?? '');
  if (isOn('apply') && isOn('dry-run')) return usage('-apply and -dry-run exclude each other');
  return {
    ...{ kind: 'migrate', root, map, apply: isOn('apply'), force: isOn('force'), json: isOn('json') },
    rules: from === undefined ? rules.filter(isRule) : ['imports', 'package'],
    ...(from !== undefined && to !== undefined && { upgrade: { from, to } }),
  };
}

function isRule(name: string): name is Rule {
  return RULES.some((rule) => rule === name);
}

function usage(problem: string): Command {
  return { kind: 'usage', problem };
}
