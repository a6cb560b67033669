import {
  CfnResource,
  DefaultTokenResolver,
  type IResolvable,
  type IResolveContext,
  Reference,
  StringConcat,
  Tokenization,
} from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** The properties of a resource in a template. */
export type Properties = Readonly<Record<string, unknown>>;

/** A resource that refers to another resource. */
export interface Referrer {
  readonly resource: CfnResource;
  readonly properties: Properties;
  /** The constructs that it refers to. */
  readonly targets: ReadonlySet<IConstruct>;
}

type Index = ReadonlyMap<IConstruct, readonly Referrer[]>;

const indexes = new WeakMap<IConstruct, { readonly size: number; readonly index: Index }>();

/** The resources of the whole tree that refer to a resource. Call it when the tree is complete. */
export function referrersOf(target: IConstruct): readonly Referrer[] {
  const { root } = target.node;
  const all = root.node.findAll();
  const known = indexes.get(root);
  const index = known?.size === all.length ? known.index : createIndex(all);
  indexes.set(root, { size: all.length, index });
  return index.get(target) ?? [];
}

function createIndex(all: readonly IConstruct[]): Index {
  const index = new Map<IConstruct, Referrer[]>();
  for (const resource of all) {
    if (!CfnResource.isCfnResource(resource)) continue;
    const finder = new ReferenceFinder();
    const { Resources = {} } = Tokenization.resolve(
      (resource as unknown as { _toCloudFormation(): object })._toCloudFormation(),
      { scope: resource, resolver: finder, preparing: false },
    ) as { readonly Resources?: Readonly<Record<string, { readonly Properties?: Properties }>> };
    const [described] = Object.values(Resources);
    for (const target of finder.found) {
      if (target === resource) continue;
      index.set(target, [
        ...(index.get(target) ?? []),
        { resource, properties: described?.Properties ?? {}, targets: finder.found },
      ]);
    }
  }
  return index;
}

/** Collects the targets of the references that are resolved. */
class ReferenceFinder extends DefaultTokenResolver {
  readonly found = new Set<IConstruct>();

  constructor() {
    super(new StringConcat());
  }

  override resolveToken(token: IResolvable, context: IResolveContext, postProcessor: never): unknown {
    if (Reference.isReference(token)) this.found.add(token.target);
    return super.resolveToken(token, context, postProcessor);
  }
}
