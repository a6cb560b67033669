import { App, type AppProps, Stack, type StackProps } from 'aws-cdk-lib/core';
import { newFolder } from './folders.js';

/** An App with a folder of its own. The validation of the CDK is off: its engine costs seconds and 300 MB in each process. */
export function newApp(props: AppProps = {}): App {
  process.env.CDK_VALIDATION = 'false';
  process.env.JSII_DEPRECATED = 'fail';
  return new App({ outdir: newFolder(), analyticsReporting: false, ...props });
}

/** A stack named `Test` in an App of its own. Always with an App: a Stack without one validates too. */
export function newStack(props: StackProps = {}, app: App = newApp()): Stack {
  return new Stack(app, 'Test', props);
}

/** The template of a stack, synthesised once. */
export function templateOf(stack: Stack): Template {
  const app = stack.node.root as App;
  return app.synth().getStackByName(stack.stackName).template as Template;
}

export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly [member: string]: unknown;
}

export interface Template {
  readonly Resources: Record<string, Resource>;
  readonly [member: string]: unknown;
}

/** The properties of all resources of a type, in the order of the template. */
export function propertiesOf(template: Template, type: string): readonly Record<string, unknown>[] {
  return Object.values(template.Resources)
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) => Properties);
}

/** The statements of all policies of roles. */
export function statementsOf(template: Template): readonly Statement[] {
  return propertiesOf(template, 'AWS::IAM::Policy').flatMap(
    ({ PolicyDocument }) => (PolicyDocument as { Statement: Statement[] }).Statement,
  );
}

export interface Statement {
  readonly Action: string | readonly string[];
  readonly Effect: string;
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** The actions of one service that roles are granted, sorted. */
export function actionsOn(template: Template, service: string): readonly string[] {
  const actions = statementsOf(template).flatMap(({ Action }) => Action);
  return [...new Set(actions)].filter((action) => action.startsWith(`${service}:`)).sort();
}

/** The message of what a function throws; `''` when it throws nothing. */
export function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

/** The variables of the first function of a template. */
export function variablesIn(template: Template): Readonly<Record<string, unknown>> {
  const [first] = propertiesOf(template, 'AWS::Lambda::Function');
  if (first === undefined) throw new Error('the template has no function');
  return (first.Environment as { readonly Variables: Record<string, unknown> }).Variables;
}
