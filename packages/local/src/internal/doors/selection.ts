import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** The selected fields in an AppSync event. */
export interface Selection {
  readonly selectionSetList: readonly string[];
  readonly selectionSetGraphQL: string;
}

/**
 * The selected fields of one field: paths with `/`, aliases as aliases, fragments expanded, `@skip` and `@include` applied.
 *
 * @see https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html
 */
export function selectionOf({ print }: typeof import('graphql'), info: GraphQLResolveInfo): Selection {
  const paths = new Set<string>();
  for (const { selectionSet } of info.fieldNodes) if (selectionSet) collect(selectionSet, '', info, paths);
  const [first] = info.fieldNodes;
  return { selectionSetList: [...paths], selectionSetGraphQL: first?.selectionSet ? print(first.selectionSet) : '' };
}

function collect({ selections }: SelectionSetNode, prefix: string, info: GraphQLResolveInfo, paths: Set<string>): void {
  for (const selection of selections) {
    if (!isIncluded(selection, info)) continue;
    if (selection.kind === 'InlineFragment') collect(selection.selectionSet, prefix, info, paths);
    else if (selection.kind === 'FragmentSpread') {
      const fragment = info.fragments[selection.name.value];
      if (fragment) collect(fragment.selectionSet, prefix, info, paths);
    } else {
      const path = prefix + (selection.alias ?? selection.name).value;
      paths.add(path);
      if (selection.selectionSet) collect(selection.selectionSet, `${path}/`, info, paths);
    }
  }
}

function isIncluded(
  { directives = [] }: Pick<FieldNode, 'directives'>,
  { variableValues }: GraphQLResolveInfo,
): boolean {
  return directives.every(({ name, arguments: given = [] }) => {
    if (name.value !== 'skip' && name.value !== 'include') return true;
    const value = given.find((argument) => argument.name.value === 'if')?.value;
    const decided =
      value?.kind === 'Variable' ? variableValues[value.name.value] : value?.kind === 'BooleanValue' && value.value;
    return name.value === 'skip' ? decided !== true : decided === true;
  });
}
