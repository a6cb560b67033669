import { isObject, type Members, membersOf, stringOf } from '@sallyport/core/internal';

/** A resource of a plan. */
export interface PlannedResource {
  readonly type: string;
  /** `aws_sqs_queue.orders`, in a module `module.jobs.aws_sqs_queue.orders`, without the key of `count` or `for_each`. */
  readonly address: string;
  readonly values: Members;
  /** The expressions of its configuration: they name other resources whose values are known only after `apply`. */
  readonly expressions: Members;
}

/** A plan while its functions are read. */
export interface Plan {
  ofType(type: string): readonly PlannedResource[];
  /** The resource of this type that an expression of a resource names; `undefined` if it names none. */
  referenced(resource: PlannedResource, expression: string, type: string): PlannedResource | undefined;
}

/** A value as a list: blocks of the plan are lists, and absent blocks are `null`. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** @param plan the parsed JSON */
export function createPlan(plan: Members): Plan {
  const resources = resourcesOf(
    membersOf(membersOf(plan.planned_values).root_module),
    membersOf(membersOf(plan.configuration).root_module),
    '',
  );
  return {
    ofType: (type) => resources.filter((one) => one.type === type),
    referenced({ address, expressions }, expression, type) {
      const module = address.replace(/[^.]+\.[^.]+$/, '');
      const names = referencesOf(expressions[expression]).map((name) => module + name);
      return resources.find(
        (one) => one.type === type && names.some((name) => name === one.address || name.startsWith(`${one.address}.`)),
      );
    },
  };
}

function resourcesOf(module: Members, configuration: Members, prefix: string): readonly PlannedResource[] {
  const configured = new Map(
    listOf(configuration.resources).map((one) => [`${prefix}${stringOf(membersOf(one).address)}`, membersOf(one)]),
  );
  const own = listOf(module.resources)
    .map(membersOf)
    .filter(({ mode }) => mode === 'managed')
    .map(({ type, address, values }): PlannedResource => {
      const base = withoutKeys(stringOf(address));
      const expressions = membersOf(configured.get(base)?.expressions);
      return { type: stringOf(type), address: base, values: membersOf(values), expressions };
    });
  const calls = membersOf(configuration.module_calls);
  const children = listOf(module.child_modules).map(membersOf);
  return own.concat(
    children.flatMap((child) => {
      const address = withoutKeys(stringOf(child.address));
      const name = address.slice(address.lastIndexOf('module.') + 'module.'.length);
      return resourcesOf(child, membersOf(membersOf(calls[name]).module), `${address}.`);
    }),
  );
}

const withoutKeys = (address: string) => address.replaceAll(/\[[^\]]*\]/g, '');

/** The names in an expression or block: `aws_sqs_queue.orders.arn`. */
function referencesOf(expression: unknown): readonly string[] {
  if (Array.isArray(expression)) return expression.flatMap(referencesOf);
  if (!isObject(expression)) return [];
  const { references } = expression;
  return Array.isArray(references) ? references.map((name) => withoutKeys(String(name))) : [];
}
