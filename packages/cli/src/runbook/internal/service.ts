import { isObject, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import type { Resource, Template } from '../../internal/template.js';

/** The registrations of a service: the inventory of `sallyport build`, or the manifest that the constructs write. */
export interface Registrations {
  /** `GET /notes/{id}`, with the posture if it is known. */
  readonly routes: readonly { readonly surface: string; readonly name: string; readonly posture: string }[];
  readonly sources: readonly { readonly kind: string; readonly name: string }[];
}

/** An alarm of a template. */
export interface AlarmFacts {
  readonly id: string;
  /** `Messages wait in a queue: Notes/Service/Queue-orders`. */
  readonly title: string;
  /** The link to its section of the general page; `''` if its description has no link. */
  readonly link: string;
  readonly threshold: string;
  readonly refersTo: ReadonlySet<string>;
  /** The construct that it watches, from its description. */
  readonly of: string;
}

/** The parts of a stack that a runbook describes. */
export class Service {
  readonly template: Template;
  readonly registrations: Registrations;
  readonly alarms: readonly AlarmFacts[];
  readonly #byId: ReadonlyMap<string, Resource>;

  constructor(template: Template, registrations: Registrations) {
    this.template = template;
    this.registrations = registrations;
    this.alarms = this.all('AWS::CloudWatch::Alarm').map(toAlarm);
    this.#byId = new Map(template.resources.map((resource) => [resource.id, resource]));
  }

  /** The resources of types, in the order of the template. */
  all(...types: readonly string[]): readonly Resource[] {
    return this.template.resources.filter(({ type }) => types.includes(type));
  }

  get(id: string | undefined): Resource | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** The first resource of these types to which a value refers. */
  referenced(refersTo: ReadonlySet<string>, ...types: readonly string[]): Resource | undefined {
    for (const id of refersTo) {
      const found = this.#byId.get(id);
      if (found && types.includes(found.type)) return found;
    }
    return undefined;
  }

  /** The functions of the application: functions with inline code belong to the constructs. */
  functions(): readonly Resource[] {
    return this.all('AWS::Lambda::Function').filter(
      ({ properties }) => membersOf(properties.Code).ZipFile === undefined,
    );
  }

  /** The name by which the application registers a source: of the registration of this kind whose name is a part of the logical id, or of the only one. */
  registeredName(kind: string, { id, properties }: Resource): string {
    const names = this.registrations.sources.filter((source) => source.kind === kind).map(({ name }) => name);
    const physical = Object.values(properties).filter((value) => typeof value === 'string');
    const matching = names.filter((name) => physical.includes(name) || plain(id).includes(plain(name)));
    const [only, ...others] = names;
    return matching.sort((a, b) => b.length - a.length)[0] ?? (others.length === 0 ? only : undefined) ?? shortId(id);
  }
}

const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** A logical id without the hash that the CDK appends. */
export const shortId = (id: string): string => id.replace(/[0-9A-F]{8}$/, '') || id;

function toAlarm({ id, properties, refersTo }: Resource): AlarmFacts {
  const description = stringOf(properties.AlarmDescription);
  const [, title = description, link = ''] = /^(.*?)\.? (\S+#[\w-]+)$/.exec(description) ?? [];
  const { Threshold, AlarmActions: _, ...watched } = properties;
  const [, of = ''] = /: (\S+)$/.exec(title) ?? [];
  const dimensions = [watched.Dimensions, watched.Metrics];
  const own = new Set([...refersTo].filter((one) => JSON.stringify(dimensions).includes(`"${one}"`)));
  return { id, title: title === '' ? id : title, link, threshold: String(Threshold ?? ''), refersTo: own, of };
}

/** The registrations of the files that exist: each is optional. */
export function toRegistrations(inventory: unknown, manifest: unknown): Registrations {
  const routes = listIn(inventory, 'routes').map((route) => ({
    surface: stringOf(route.surface),
    name: routeName(route),
    posture: postureOf(route),
  }));
  const triggers = listIn(inventory, 'triggers').map((trigger) => ({
    kind: stringOf(trigger.kind),
    name: stringOf(trigger.name) || selectorName(membersOf(trigger.selector)),
  }));
  const functions = listIn(manifest, 'functions');
  const sources = functions
    .flatMap((one) => listIn(one, 'sources'))
    .map((source) => ({
      kind: stringOf(source.kind),
      name: source.kind === 'event-bus' ? selectorName(membersOf(source.selector)) : stringOf(source.name),
    }));
  const doorRoutes = functions
    .flatMap((one) => listIn(one, 'doors'))
    .flatMap(({ routes: names }) => (Array.isArray(names) ? names : []))
    .map((name) => ({ surface: 'http', name: String(name), posture: '' }));
  return {
    routes: routes.length > 0 ? routes : doorRoutes,
    sources: [
      ...triggers,
      ...sources.filter(({ kind, name }) => !triggers.some((one) => one.kind === kind && one.name === name)),
    ],
  };
}

function listIn(value: unknown, key: string): readonly Members[] {
  const list = membersOf(value)[key];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function routeName({ method, path, appSyncParentType, appSyncField, webSocketRouteKey }: Members): string {
  if (typeof path === 'string') return `${stringOf(method)} ${path}`;
  return typeof appSyncField === 'string'
    ? `${stringOf(appSyncParentType)}.${appSyncField}`
    : stringOf(webSocketRouteKey);
}

function postureOf({ posture, scopes }: Members): string {
  const list = Array.isArray(scopes) ? scopes.join(' ') : '';
  return `${stringOf(posture)}${list === '' ? '' : ` (${list})`}`;
}

function selectorName({ source, detailType, ruleName, scheduleName }: Members): string {
  const named = stringOf(ruleName) || stringOf(scheduleName);
  return named || [stringOf(source), stringOf(detailType)].filter((part) => part !== '').join(' ');
}
