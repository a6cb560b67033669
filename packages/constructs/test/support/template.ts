/** Reads templates. Without jest: the judges run in a separate process. */

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

/** The variables of the first function of a template. */
export function variablesIn(template: Template): Readonly<Record<string, unknown>> {
  const [first] = propertiesOf(template, 'AWS::Lambda::Function');
  if (first === undefined) throw new Error('the template has no function');
  return (first.Environment as { readonly Variables: Record<string, unknown> }).Variables;
}
