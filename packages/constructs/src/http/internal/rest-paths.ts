import { type IResource, type IRestApi, Resource, type RestApi as RestApiResource } from 'aws-cdk-lib/aws-apigateway';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { misuse, misuseText } from '../../internal/misuse.js';
import { nameOf } from '../../internal/names.js';

/** The resources of the paths of a REST API, in the stacks of the functions that have routes under them. */
export class RestPaths {
  readonly #at: Construct;
  readonly #api: RestApiResource;
  readonly #shared: ReadonlySet<string>;
  readonly #roots = new Map<Stack, IResource>();
  /** The stack of each resource. */
  readonly #stacks = new Map<string, Stack>();
  /** The parameter below each resource. */
  readonly #parameters = new Map<string, string>();

  constructor(at: Construct, api: RestApiResource, shared: readonly string[], quota: number) {
    this.#at = at;
    this.#api = api;
    const own = Stack.of(at);
    this.#roots.set(own, api.root);
    this.#shared = new Set(shared.flatMap((path) => partsOf(path.slice(1).split('/'))));
    at.node.addValidation({ validate: () => this.#tooMany(quota) });
    for (const path of this.#shared) {
      api.root.resourceForPath(path);
      this.#stacks.set(path, own);
    }
  }

  /**
   * The resource of a path, in the stack of a door. A resource has one parameter child, regardless of the parameter's name: the function parses the path itself,
   * so a second name uses the resource of the first.
   *
   * @throws ConstructError `constructs.invalid_prop` for a second kind of parameter, and for a path that another stack has
   */
  resourceOf(door: Construct, segments: readonly string[], given: string): IResource {
    const stack = Stack.of(door);
    return segments.reduce<IResource>(
      (parent, segment) => this.#child(door, parent, segment, given),
      this.#rootIn(stack),
    );
  }

  #child(door: Construct, parent: IResource, segment: string, given: string): IResource {
    const stack = Stack.of(door);
    const at = parent.path === '/' ? '' : parent.path;
    const first = segment.startsWith('{') ? (this.#parameters.get(at) ?? segment) : segment;
    if (first.endsWith('+}') !== segment.endsWith('+}')) {
      throw misuse(door, {
        what: `path ${given} needs ${segment} next to ${first}, and a REST API allows one parameter at each position`,
        expected: 'addCatchAll() instead of single routes, or an HttpApi',
      });
    }
    if (segment.startsWith('{')) this.#parameters.set(at, first);
    const path = `${at}/${first}`;
    const owner = this.#stacks.get(path) ?? stack;
    this.#stacks.set(path, owner);
    const existing = parent.getResource(first);
    if (existing) return existing;
    if (owner === stack) return parent.addResource(first);
    if (this.#shared.has(path)) return this.#referTo(stack, path);
    throw misuse(door, {
      what: `path ${given} needs the resource ${path}, which the stack ${owner.node.path} has`,
      expected: path.includes('{')
        ? 'both functions in one stack, or other paths'
        : `paths: [${JSON.stringify(path)}] of ${this.#at.node.path}, or both functions in one stack`,
    });
  }

  /** The root of the API in the construct tree of a stack. */
  #rootIn(stack: Stack): IResource {
    const root =
      this.#roots.get(stack) ??
      this.#importInto(
        new Construct(stack, `Routes-${nameOf(this.#at, 60)}`),
        'Root',
        '/',
        this.#api.restApiRootResourceId,
      );
    this.#roots.set(stack, root);
    return root;
  }

  /** A resource of `paths` in the construct tree of another stack. */
  #referTo(stack: Stack, path: string): IResource {
    const scope = this.#rootIn(stack).node.scope as Construct;
    const id = `Path${path.replaceAll('/', '-')}`;
    const existing = scope.node.tryFindChild(id) as IResource | undefined;
    return existing ?? this.#importInto(scope, id, path, this.#api.root.resourceForPath(path).resourceId);
  }

  #importInto(scope: Construct, id: string, path: string, resourceId: string): IResource {
    return Resource.fromResourceAttributes(scope, id, { restApi: this.#api as IRestApi, resourceId, path });
  }

  #tooMany(quota: number): string[] {
    const got = 1 + this.#stacks.size;
    if (got <= quota) return [];
    const expected = `at most ${quota}, the quota of the account: catchAll: true, an HttpApi, or resourceQuota after AWS raised it`;
    return [misuseText(this.#at, { what: 'resources of the API', got, expected })];
  }
}

/** The path, and all paths above it. */
function partsOf(segments: readonly string[]): readonly string[] {
  return segments.map((_segment, index) => `/${segments.slice(0, index + 1).join('/')}`);
}
