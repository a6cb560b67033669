/**
 * A model of one AWS account in one region, to which templates are deployed in CloudFormation's order: resources are created and changed, each after those on
 * which it depends, and only then are removed and replaced resources deleted. A failure rolls everything back.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
 */
import { inOrder, resolve } from './references.js';
import { identity, typeOf } from './resource-types.js';
import {
  existingSubscription,
  identitiesOf,
  ON_DELETE,
  ON_WRITE,
  Rejected,
  type Thing,
  type World,
} from './services.js';

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** The used part of a template. */
export interface Deployable {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<
    Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: unknown } }>
  >;
}

/** The result of an update. */
export interface Outcome {
  /** The message of the failure, with the logical id; `undefined` if the update succeeded. */
  readonly failure: string | undefined;
  /** Losses of a successful update: sources without their function, policies, data, and records that are skipped or read again. */
  readonly lost: readonly string[];
  /** Resources that were replaced, by logical id. */
  readonly replaced: readonly string[];
}

interface Stack {
  readonly template: Deployable;
  /** Two stacks of one name, one after the other, have different ids. */
  readonly uuid: string;
  /** The keys of the things of the stack, by logical id. */
  readonly resources: Map<string, string>;
  readonly exports: Map<string, string>;
  readonly imports: Set<string>;
}

const MAXIMUM_RESOURCES = 500;

/** An account. */
export class Account {
  #world: World;
  #stacks = new Map<string, Stack>();
  #count = 0;

  /** @param logRole the role of API Gateway's logs, as another team has set it: a new account has no role */
  constructor(logRole?: string) {
    this.#world = { things: new Map(), settings: new Map(), logRole, deliveries: new Set() };
  }

  /** Creates or updates a stack. */
  deploy(name: string, template: Deployable): Outcome {
    const saved = structuredClone({ world: this.#world, stacks: this.#stacks });
    const update = new Update(name, template, this.#world, this.#stacks, () => `${name}/${++this.#count}`);
    try {
      return { failure: undefined, ...update.run() };
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      this.#world = saved.world;
      this.#stacks = saved.stacks;
      return { failure: error.message, lost: [], replaced: [] };
    }
  }

  /** Removes a stack, except the retained resources. */
  remove(name: string): Outcome {
    const { exports } = this.#stacks.get(name) as Stack;
    const user = [...this.#stacks].find(([, { imports }]) => [...exports.keys()].some((one) => imports.has(one)));
    if (user) return { failure: `Export cannot be deleted as it is in use by ${user[0]}`, lost: [], replaced: [] };
    const outcome = this.deploy(name, { Resources: {} });
    this.#stacks.delete(name);
    return outcome;
  }

  /** The types of the resources that no stack has, with their names. */
  orphans(): readonly string[] {
    const owned = new Set([...this.#stacks.values()].flatMap(({ resources }) => [...resources.values()]));
    return [...this.#world.things]
      .filter(([key]) => !owned.has(key))
      .map(([, { type, id }]) => `${type} ${id}`)
      .sort();
  }
}

class Update {
  readonly #old: Stack;
  readonly #new: Stack;
  readonly #obsolete: (readonly [key: string, keep: boolean])[] = [];
  readonly #lost: string[] = [];
  readonly #replaced: string[] = [];

  constructor(
    readonly name: string,
    readonly template: Deployable,
    readonly world: World,
    readonly stacks: Map<string, Stack>,
    readonly nextKey: () => string,
  ) {
    const uuid = stacks.get(name)?.uuid ?? `${nextKey().replace(/.*\//, '').padStart(8, '0')}-0000`;
    const empty = { uuid, resources: new Map(), exports: new Map(), imports: new Set<string>() };
    this.#old = stacks.get(name) ?? { ...empty, template: { Resources: {} } };
    this.#new = { uuid, template, resources: new Map(), exports: new Map(), imports: new Set() };
  }

  run(): Pick<Outcome, 'lost' | 'replaced'> {
    const { Resources } = this.template;
    const count = Object.keys(Resources).length;
    if (count > MAXIMUM_RESOURCES)
      throw new Rejected(
        `Template format error: Number of resources, ${count}, is greater than maximum allowed, ${MAXIMUM_RESOURCES}`,
      );
    for (const id of inOrder(Resources)) {
      try {
        this.#apply(id, Resources[id] as TemplateResource);
      } catch (error) {
        if (error instanceof Rejected) throw new Rejected(`${id}: ${error.message}`);
        throw error;
      }
    }
    this.#writeExports();
    for (const id of [...inOrder(this.#old.template.Resources)].reverse()) {
      if (!this.#new.resources.has(id)) this.#discard(id, 'DeletionPolicy');
    }
    for (const [key, keep] of this.#obsolete) if (!keep) this.#delete(key);
    this.stacks.set(this.name, this.#new);
    this.#findLost();
    return { lost: this.#lost, replaced: this.#replaced };
  }

  #properties(given: unknown): Readonly<Record<string, unknown>> {
    return resolve(
      given ?? {},
      (id, attribute) => this.#lookup(id, attribute),
      (name) => this.#import(name),
    ) as Readonly<Record<string, unknown>>;
  }

  #lookup(id: string, attribute?: string): string {
    if (id === 'AWS::StackId')
      return `arn:aws:cloudformation:eu-west-1:123456789012:stack/${this.name}/${this.#new.uuid}`;
    if (id.startsWith('AWS::')) return PSEUDO[id] ?? id;
    const key = this.#new.resources.get(id);
    const thing = key === undefined ? undefined : this.world.things.get(key);
    if (thing === undefined) return `parameter ${id}`;
    if (attribute === undefined) return thing.physical;
    if (attribute === 'Arn' || (attribute.endsWith('Arn') && !/Stream/.test(attribute))) return `arn:${thing.physical}`;
    // A changed view of a table is another stream.
    const view = attribute === 'StreamArn' ? JSON.stringify(thing.properties.StreamSpecification ?? '') : '';
    return `${thing.physical}.${attribute}${view}`;
  }

  #import(name: string): string {
    this.#new.imports.add(name);
    const value = [...this.stacks.values()].map(({ exports }) => exports.get(name)).find((one) => one !== undefined);
    if (value === undefined) throw new Rejected(`No export named ${name} found`);
    return value;
  }

  #apply(id: string, { Type, Properties }: TemplateResource): void {
    const key = this.#old.resources.get(id);
    const old = key === undefined ? undefined : this.world.things.get(key);
    const properties = this.#properties(Properties);
    if (key === undefined || old === undefined) {
      this.#create(id, Type, properties);
      return;
    }
    if (old.type !== Type)
      throw new Rejected('Update of resource type is not permitted. The new template modifies resource type');
    if (JSON.stringify(old.properties) === JSON.stringify(properties)) {
      this.#new.resources.set(id, key);
      return;
    }
    const { createOnly, deleteFirst } = typeOf(Type);
    if (createOnly.some((name) => JSON.stringify(old.properties[name]) !== JSON.stringify(properties[name]))) {
      this.#replaced.push(id);
      if (deleteFirst) this.#delete(key);
      this.#create(id, Type, properties);
      if (!deleteFirst) this.#obsolete.push([key, this.#keeps(id, 'UpdateReplacePolicy')]);
      this.#noteReplacement(id, old);
      return;
    }
    const thing = { ...old, properties };
    this.world.things.set(key, thing);
    this.#new.resources.set(id, key);
    this.#noteGroup(old, thing);
    this.#clearSettings(key, old);
    this.#write(key, thing, old);
  }

  #create(id: string, type: string, properties: Readonly<Record<string, unknown>>): void {
    const key = this.nextKey();
    const thing: Thing = { type, stack: this.name, id, physical: key, properties };
    const existing = type === 'AWS::SNS::Subscription' ? existingSubscription(this.world, thing) : undefined;
    this.#new.resources.set(id, existing?.physical ?? key);
    if (existing !== undefined) return;
    this.world.things.set(key, thing);
    this.#write(key, thing, undefined);
  }

  #write(key: string, thing: Thing, before: Thing | undefined): void {
    for (const one of identitiesOf(thing)) {
      const other = [...this.world.things].find(
        ([otherKey, it]) => otherKey !== key && it.type === thing.type && identitiesOf(it).includes(one),
      );
      if (other)
        throw new Rejected(
          `${typeOf(thing.type).conflict ?? `${one} already exists`} (${other[1].stack}/${other[1].id})`,
        );
    }
    for (const setting of typeOf(thing.type).settingOf?.(thing.properties) ?? [])
      this.world.settings.set(`${thing.type} ${setting}`, key);
    ON_WRITE[thing.type]?.(this.world, thing, before);
  }

  #clearSettings(key: string, { type, properties }: Thing): void {
    for (const setting of typeOf(type).settingOf?.(properties) ?? []) {
      const name = `${type} ${setting}`;
      if (this.world.settings.get(name) === key) this.world.settings.delete(name);
    }
  }

  #keeps(id: string, policy: 'DeletionPolicy' | 'UpdateReplacePolicy'): boolean {
    return this.#old.template.Resources[id]?.[policy]?.startsWith('Retain') === true;
  }

  #discard(id: string, policy: 'DeletionPolicy'): void {
    const key = this.#old.resources.get(id);
    if (key === undefined || this.#keeps(id, policy)) return;
    const { type } = this.world.things.get(key) ?? {};
    if (type !== undefined && typeOf(type).stateful) this.#lost.push(`the data of ${id} (${type})`);
    this.#delete(key);
  }

  /** Removes a thing and its settings, even if another resource has overwritten them since. */
  #delete(key: string): void {
    const thing = this.world.things.get(key);
    if (thing === undefined) return;
    this.world.things.delete(key);
    for (const setting of typeOf(thing.type).settingOf?.(thing.properties) ?? [])
      this.world.settings.delete(`${thing.type} ${setting}`);
    ON_DELETE[thing.type]?.(this.world, thing);
  }

  #noteReplacement(id: string, old: Thing): void {
    if (typeOf(old.type).stateful && !this.#keeps(id, 'UpdateReplacePolicy'))
      this.#lost.push(`the data of ${id} (${old.type})`);
  }

  #noteGroup(old: Thing, { id, properties }: Thing): void {
    const groupOf = (of: Thing['properties']) =>
      (of.AmazonManagedKafkaEventSourceConfig as { ConsumerGroupId?: string } | undefined)?.ConsumerGroupId;
    if (groupOf(old.properties) !== groupOf(properties))
      this.#lost.push(`the position of ${id}: another consumer group reads the topic again`);
  }

  #writeExports(): void {
    for (const { Value, Export } of Object.values(this.template.Outputs ?? {})) {
      if (Export)
        this.#new.exports.set(
          String(this.#properties({ name: Export.Name }).name),
          String(this.#properties({ value: Value }).value),
        );
    }
    for (const [name, value] of this.#old.exports) {
      const user = [...this.stacks].find(([stack, { imports }]) => stack !== this.name && imports.has(name))?.[0];
      const now = this.#new.exports.get(name);
      if (user === undefined || now === value) continue;
      throw new Rejected(
        `Export ${name} cannot be ${now === undefined ? 'deleted' : 'updated'} as it is in use by ${user}`,
      );
    }
  }

  /** All resources of the template must exist after the clean-up, and a stream must continue at its position. */
  #findLost(): void {
    for (const [id, key] of this.#new.resources) {
      const thing = this.world.things.get(key);
      if (thing === undefined) {
        this.#lost.push(`${id}: the clean-up removed it`);
        continue;
      }
      for (const setting of typeOf(thing.type).settingOf?.(thing.properties) ?? []) {
        if (this.world.settings.get(`${thing.type} ${setting}`) !== key)
          this.#lost.push(`${id}: the setting of ${setting} is gone`);
      }
      if (
        thing.type === 'Custom::S3BucketNotifications' &&
        !this.world.settings.has(`notifications ${identity(thing.properties.BucketName)}`)
      ) {
        this.#lost.push(`${id}: the bucket has no notifications`);
      }
    }
    for (const [id, oldKey] of this.#old.resources) {
      const key = this.#new.resources.get(id);
      const old = this.#old.template.Resources[id];
      if (
        key === oldKey ||
        old?.Type !== 'AWS::Lambda::EventSourceMapping' ||
        old.Properties?.StartingPosition === undefined
      )
        continue;
      const source = JSON.stringify(old.Properties.EventSourceArn);
      const again = Object.values(this.template.Resources).some(
        ({ Type, Properties }) => Type === old.Type && JSON.stringify(Properties?.EventSourceArn) === source,
      );
      if (again)
        this.#lost.push(
          `the position of ${id}: a new mapping reads its stream from ${String(old.Properties.StartingPosition)}`,
        );
    }
  }
}

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Region': 'eu-west-1',
  'AWS::AccountId': '123456789012',
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};
