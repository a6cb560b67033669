import { resolve } from 'node:path';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Token } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { noteSource } from '../../internal/entries.js';
import { checkVariable } from '../../internal/environment.js';
import { misuse } from '../../internal/misuse.js';
import type { BundleFacts, BundleFunctionProps } from '../bundle-function.js';

/** The props of a function that determine its code and variables. */
interface CodeProps {
  readonly entry?: string | undefined;
  readonly handler: string;
  readonly external?: readonly string[] | undefined;
  readonly conditions?: readonly string[] | undefined;
  readonly splitting?: boolean | undefined;
  readonly sourceMaps?: boolean | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly notSecret: readonly string[];
}

/** The props of the bundle that are set. */
export function bundleProps({
  external,
  conditions,
  splitting,
  sourceMaps,
}: CodeProps): Omit<BundleFunctionProps, 'entry'> {
  return {
    ...(external && { external }),
    ...(conditions && { conditions }),
    ...(splitting !== undefined && { splitting }),
    ...(sourceMaps !== undefined && { sourceMaps }),
  };
}

/** The exported handler and the literal variables, with which the application is loaded at synth. */
export function loadingProps({ handler, environment }: CodeProps) {
  const known = Object.entries(environment).filter(([, value]) => !Token.isUnresolved(value));
  return { handler: handler.split('.').at(-1) ?? 'handler', environment: Object.fromEntries(known) };
}

/** Rejects variables that AWS reserves, and secrets as literal values. */
export function checkVariables(at: Construct, { environment, notSecret }: CodeProps): void {
  for (const [name, value] of Object.entries<string>(environment)) checkVariable(at, name, value, notSecret);
  const unknown = notSecret.find((name) => !Object.hasOwn(environment, name));
  if (unknown === undefined) return;
  throw misuse(at, {
    what: `notSecret names ${unknown}, which is not in environment`,
    expected: 'names of environment',
  });
}

/** Rejects a handler in another file than the file of the bundle. */
export function checkHandler(at: Construct, { entry, handler }: CodeProps): void {
  if (entry === undefined) return;
  const [, file = '', name = ''] = partsOf(handler);
  if (file === 'index') return;
  throw misuse(at, { what: 'handler', got: handler, expected: `"index.${name}": the file of a bundle is index` });
}

/** Checks the handler, and keeps the loaded application for the wiring: all checks share one bundle and one loaded application. */
export function noteBundle(at: Construct, props: CodeProps, fn: IFunction, facts: BundleFacts | undefined): void {
  if (props.entry === undefined) return;
  checkExports(at, props, facts?.exports);
  noteSource(fn, { entry: resolve(props.entry), conditions: props.conditions ?? [], loaded: facts?.loaded });
}

/** Rejects a handler that the bundle does not have: the deployment would succeed, and every invocation fail. */
function checkExports(at: Construct, { entry, handler }: CodeProps, exported: readonly string[] | undefined) {
  const [, , name = ''] = partsOf(handler);
  if (exported === undefined || exported.includes(name)) return;
  const shown = exported.length === 0 ? 'nothing' : exported.join(', ');
  throw misuse(at, { what: `handler ${handler}, and ${entry} exports ${shown}`, expected: `export const ${name} = …` });
}

function partsOf(handler: string): readonly string[] {
  return /^(.*)\.([^.]*)$/.exec(handler) ?? [];
}
