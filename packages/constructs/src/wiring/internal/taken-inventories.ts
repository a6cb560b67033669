import { type CfnFunction, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Stack } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuseText } from '../../internal/misuse.js';
import { sharedRegistry } from '../../internal/shared.js';
import { functionBehind } from '../../internal/targets.js';
import type { Inventory } from '../inventory.js';

type Variables = Readonly<Record<string, string>>;

/** The origin of an inventory that was read from a file. */
export interface Taking {
  readonly entry: string;
  readonly environment: Variables;
  /** The variables that the file reads when it is loaded. */
  readonly read: readonly string[];
  /** Reads it again with other variables. */
  readonly take: (environment: Variables) => Inventory;
}

const takings = sharedRegistry<Inventory, Taking>('takings/1');

export function noteTaking(inventory: Inventory, taking: Taking): void {
  takings.set(inventory, taking);
}

/** Placeholder for the value of a variable that is known only after deployment. */
const DEPLOYED = 'known-after-deployment';

/** The variables of a function: literals, and the names of variables whose values are known only after deployment. */
export function literalsOf(fn: IFunction): { readonly literals: Variables; readonly tokens: readonly string[] } {
  const behind = functionBehind(fn);
  if (!(behind instanceof LambdaFunction)) return { literals: {}, tokens: [] };
  const resolved = Stack.of(behind).resolve((behind.node.defaultChild as CfnFunction).environment) as
    | { readonly variables?: Readonly<Record<string, unknown>> }
    | undefined;
  const entries = Object.entries(resolved?.variables ?? {});
  return {
    literals: Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
    tokens: entries.filter(([, value]) => typeof value !== 'string').map(([name]) => name),
  };
}

/** An inventory without the state of its variables. */
function registrationsOf({ deployment, ...rest }: Inventory): string {
  return JSON.stringify({ ...rest, deployment: { ...deployment, environment: undefined } });
}

/**
 * Variables that `environment()` of the application checks, and that the function does not have or whose literal values do not fit. The
 * values of tokens are checked when the function is initialized.
 */
export function wrongVariables(wiring: IConstruct, fn: IFunction, given: Inventory): readonly string[] {
  if (given.deployment?.environment === undefined) return [];
  const taking = takings.get(given);
  const { literals, tokens } = literalsOf(fn);
  const described =
    (taking ? taking.take({ ...taking.environment, ...literals }) : given).deployment?.environment ?? [];
  const wrong = described.flatMap(({ name, problem }) => {
    // AWS Lambda sets these variables.
    if (problem === undefined || tokens.includes(name) || /^(?:AWS_|_|TZ$|LANG$|PATH$)/.test(name)) return [];
    return [Object.hasOwn(literals, name) ? `${name} does not fit its schema` : `${name} is missing`];
  });
  if (wrong.length === 0) return [];
  const what = `the variables that the application checks with environment(): ${wrong.join(', ')}`;
  return [misuseText(wiring, { what, expected: 'each of them in environment, secrets or parameters of the function' })];
}

/** Registrations that depend on variables of the function, and so are missing from the inventory or surplus. */
export function dependsOnVariables(wiring: IConstruct, fn: IFunction, given: Inventory): readonly string[] {
  const taking = takings.get(given);
  if (taking === undefined) return [];
  const { entry, environment, read, take } = taking;
  const { literals, tokens } = literalsOf(fn);
  const isOurs = (name: string) => name.startsWith('FRAMEWORK_') || name.startsWith('AWS_');
  const changes = read.flatMap((name): readonly (readonly [string, string | undefined])[] => {
    if (isOurs(name)) return [];
    if (tokens.includes(name)) return [[name, DEPLOYED]];
    return literals[name] === environment[name] ? [] : [[name, literals[name]]];
  });
  const wanted = registrationsOf(given);
  const differs = (some: typeof changes) => {
    const merged = Object.entries({ ...environment, ...Object.fromEntries(some) });
    const variables = merged.filter((entry): entry is [string, string] => entry[1] !== undefined);
    try {
      return registrationsOf(take(Object.fromEntries(variables))) !== wanted;
    } catch {
      // The placeholder can be an invalid value; the deployed function loads with the real values.
      return false;
    }
  };
  if (changes.length === 0 || !differs(changes)) return [];
  const names = changes.filter((change) => differs([change])).map(([name]) => name);
  const shown = (names.length > 0 ? names : changes.map(([name]) => name)).join(', ');
  const what = `the registrations of ${entry} depend on the variable ${shown}, whose value is different in the function`;
  const expected =
    'environment of inventoryFromEntry with the literal value, or registrations that depend on no variable';
  return [misuseText(wiring, { what, expected })];
}
