import { type UserPool, UserPoolOperation } from 'aws-cdk-lib/aws-cognito';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { noteInvoker } from '../internal/invokers.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, flag, literal, thing } from '../internal/props.js';
import { claimSource, invokedBy, timeoutOf } from '../internal/targets.js';
import { COGNITO_SOURCES } from './internal/cognito-sources.js';

/** Props of the mapping between a user pool and its function. */
export interface CognitoMappingProps {
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Props of {@link CognitoTrigger}. */
export interface CognitoTriggerProps extends CognitoMappingProps {
  /** The function. Its timeout must be at most 5 s: Cognito waits no longer. */
  readonly fn: IFunction;
  /** The user pool. Imported pools are rejected, because their triggers cannot be set. */
  readonly userPool: UserPool;
  /** The registered trigger sources: `PreSignUp_SignUp`, or `PreSignUp_*` for all of a kind. */
  readonly sources: readonly string[];
}

/** Validators and defaults for {@link CognitoTriggerProps}. */
export const COGNITO_TRIGGER_PROPS = defineProps<CognitoTriggerProps>('CognitoTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  userPool: thing<UserPool>('a user pool of this CDK app', 'addTrigger').required(),
  sources: literal<readonly string[]>(
    'a list of different trigger sources such as "PreSignUp_SignUp"',
    (value) => Array.isArray(value) && value.length > 0 && new Set(value).size === value.length,
  ).required(),
  ownAlias: flag.default(false),
});

/** The response timeout of Cognito, in seconds. */
const ANSWER_SECONDS = 5;

/**
 * Connects a user pool to a function, for `cognitoTrigger()` of `@sallyport/triggers`. Creates one trigger for each operation of the
 * sources. Only the pool may invoke the function.
 *
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-working-with-lambda-triggers.html
 * @example new CognitoTrigger(this, 'SignUps', { fn, userPool, sources: ['PreSignUp_*', 'PostConfirmation_ConfirmSignUp'] });
 */
export class CognitoTrigger extends Construct {
  /** The operations that invoke the function. */
  readonly operations: readonly UserPoolOperation[];

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, an unknown source, a timeout above 5 s; `constructs.conflict` for a second
   *   trigger of one user pool
   */
  constructor(scope: Construct, id: string, props: CognitoTriggerProps) {
    super(scope, id);
    const { fn, userPool, sources, ownAlias } = COGNITO_TRIGGER_PROPS.parse(this, props);
    const byKind = groupByKind(this, sources);
    const seconds = timeoutOf(fn)?.toSeconds();
    if (seconds !== undefined && seconds > ANSWER_SECONDS) {
      throw misuse(this, {
        what: `timeout of ${fn.node.path}`,
        got: seconds,
        expected: `at most ${ANSWER_SECONDS} s, or another function for this trigger: Cognito waits no longer and retries`,
      });
    }
    claimSource(this, fn, userPool.userPoolArn, 'user pool');
    const target = invokedBy(this, fn, ownAlias);
    this.operations = [...byKind.keys()].map((kind) => operationOf(kind));
    for (const operation of this.operations) userPool.addTrigger(operation, target);
    noteInvoker(fn, { construct: userPool });
    for (const [kind, handled] of byKind) warnOfRefused(this, kind, handled);
  }
}

/** The sources of each operation, by the part of their names that identifies it. */
function groupByKind(at: Construct, sources: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byKind = new Map<string, readonly string[]>();
  for (const source of sources) {
    const [kind = ''] = String(source).split('_', 1);
    const known = COGNITO_SOURCES[kind]?.sources.map((one) => `${kind}_${one}`) ?? [];
    if (known.length === 0 || (source !== `${kind}_*` && !known.includes(source))) {
      const shown = known.length > 0 ? known : Object.keys(COGNITO_SOURCES).map((one) => `${one}_…`);
      throw misuse(at, { what: 'sources', got: source, expected: shown.join(', ') });
    }
    byKind.set(kind, [...(byKind.get(kind) ?? []), source]);
  }
  return byKind;
}

function operationOf(kind: string): UserPoolOperation {
  return UserPoolOperation.of(COGNITO_SOURCES[kind]?.operation ?? '');
}

/** Cognito invokes the function for every source of an operation, and the application rejects sources without a handler. */
function warnOfRefused(at: Construct, kind: string, handled: readonly string[]): void {
  if (handled.includes(`${kind}_*`)) return;
  const all = COGNITO_SOURCES[kind]?.sources.map((one) => `${kind}_${one}`) ?? [];
  const refused = all.filter((one) => !handled.includes(one));
  if (refused.length === 0) return;
  Validations.of(at).addWarning(
    `Sallyport::CognitoSources${kind}`,
    `Cognito invokes the function for ${refused.join(', ')} too, and the application rejects these. Register them, or "${kind}_*".`,
  );
}
