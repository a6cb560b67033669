import { type Members, membersOf, objectPart, stringOf } from '@sallyport/core/internal';
import type { Values } from './intrinsics.js';

/** A template while its functions are read. */
export interface Sam {
  readonly resources: Members;
  readonly globals: Members;
  readonly values: Values;
}

/** A function of a template, with the properties of `Globals`. */
export interface SamFunction {
  readonly id: string;
  readonly properties: Members;
  /** Events by their logical ids. */
  readonly events: readonly { readonly type: string; readonly id: string; readonly properties: Members }[];
}

/** The names under which handlers are registered, by the logical id of their source: the variable of the framework states them. */
export function registeredNames(
  { values }: Pick<Sam, 'values'>,
  { properties }: SamFunction,
): Readonly<Record<string, string>> {
  const variable = membersOf(membersOf(properties.Environment).Variables).FRAMEWORK_EVENT_SOURCES;
  const given = membersOf(variable)['Fn::Sub'] ?? values.literal(variable);
  const text = Array.isArray(given) ? given[0] : given;
  const kinds = Object.values(objectPart(text)).map(membersOf);
  return Object.fromEntries(
    kinds.flatMap((names) =>
      Object.entries(names).flatMap(([name, arn]): [string, string][] => {
        const id = /^\$\{(\w+)\.\w+\}$/.exec(stringOf(arn))?.[1];
        return id === undefined ? [] : [[id, name]];
      }),
    ),
  );
}
