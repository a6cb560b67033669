import { EVENT_SOURCES_ENV } from '@sallyport/streams/schema';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Lazy, Stack, Token } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { setVariable } from '../../internal/environment.js';
import { misuse } from '../../internal/misuse.js';
import { literalWords } from '../../internal/props.js';
import { functionBehind } from '../../internal/targets.js';
import type { ExternalAttachment } from '../external.js';
import type { Inventory, InventoryTrigger } from '../inventory.js';
import type { WiringFacts } from './findings.js';
import type { ManifestFacts, ManifestSource } from './manifest.js';
import type { ManifestDoor } from './manifest-doors.js';
import { NAMED_SOURCES, type NamedSource, ofTrigger, type Registration, registrationsOf } from './registrations.js';

const LOGICAL_NAME = literalWords('the name that the handler is registered under');

type Wiring = Construct & { readonly fn: IFunction };

/** The attachments of a wiring, with the registrations of the application. */
export class Attachments {
  readonly #wiring: Wiring;
  readonly #external: readonly ExternalAttachment[];
  readonly #registrations: ReadonlyMap<string, Registration>;
  readonly #triggers: readonly InventoryTrigger[];
  readonly #attached = new Set<string>();
  readonly #sources: ManifestSource[] = [];
  readonly #doors: ManifestDoor[] = [];
  /** By the method of a registration: logical to physical names. */
  readonly #names: Record<string, Record<string, string>> = {};

  constructor(wiring: Wiring, inventory: Inventory, external: readonly ExternalAttachment[]) {
    this.#wiring = wiring;
    this.#external = external;
    this.#triggers = inventory.triggers;
    this.#registrations = new Map(registrationsOf(inventory).map((one) => [one.key, one]));
  }

  /** True if the application registers it. */
  has({ key }: Registration): boolean {
    return this.#registrations.has(key);
  }

  /** Records a source under the name of its handler. @throws ConstructError as {@link attach}, `constructs.literal_needed` */
  claim(kind: string, name: string): void {
    if (Token.isUnresolved(name)) {
      const expected = `${LOGICAL_NAME.wanted}, as a literal`;
      throw misuse(this.#wiring, { what: `name of a ${kind}`, got: name, expected, code: 'constructs.literal_needed' });
    }
    this.attach(ofTrigger({ kind, name }));
  }

  /**
   * Records all registrations of a kind, which one construct attaches.
   *
   * @throws ConstructError `constructs.not_registered` if absent
   */
  claimAll(kind: string): readonly InventoryTrigger[] {
    const records = this.#triggers.filter((one) => one.kind === kind);
    if (records.length === 0) throw this.notRegistered(`${kind} trigger`);
    for (const record of records) this.cover(ofTrigger(record));
    return records;
  }

  /** @throws ConstructError `constructs.not_registered`, `constructs.conflict` if it is already attached */
  attach(registration: Registration): void {
    const { key, label } = registration;
    if (!this.has(registration)) throw this.notRegistered(label);
    if (this.#attached.has(key)) {
      throw misuse(this.#wiring, {
        what: `${label} is attached twice`,
        expected: 'one source for each handler',
        code: 'constructs.conflict',
      });
    }
    this.#attached.add(key);
  }

  /** Records a registration that several sources or doors may attach. */
  cover({ key }: Registration): void {
    this.#attached.add(key);
  }

  /** The error for an attachment that the application does not register. */
  notRegistered(label: string): Error {
    const known = [...this.#registrations.values()].map((one) => one.label);
    const shown = known.length === 0 ? 'none' : known.slice(0, 20).join(', ');
    return misuse(this.#wiring, {
      what: `the stack attaches ${label}, which the application does not register`,
      expected: `one of its registrations: ${shown}`,
      code: 'constructs.not_registered',
    });
  }

  /** Records the deployed name of a source, which the application gets in `FRAMEWORK_EVENT_SOURCES`. */
  named(kind: NamedSource, name: string, physical: string, rest: Partial<ManifestSource>): void {
    this.addSource({ kind, name, ...rest });
    if (physical === name) return;
    this.#map(NAMED_SOURCES[kind], name, physical);
  }

  /** Records the deployed name of a rule, for handlers that are registered for a rule. */
  nameRule(name: string, physical: string): void {
    this.#map('rule', name, physical);
  }

  /** Records the deployed name of a schedule, for handlers that are registered for a schedule. */
  nameSchedule(name: string, physical: string): void {
    this.#map('schedule', name, physical);
  }

  #map(method: string, name: string, physical: string): void {
    this.#names[method] = { ...this.#names[method], [name]: physical };
    const { fn } = this.#wiring;
    const stack = Stack.of(fn);
    setVariable(this.#wiring, fn, EVENT_SOURCES_ENV, Lazy.string({ produce: () => stack.toJsonString(this.#names) }));
  }

  addSource(source: ManifestSource): void {
    this.#sources.push(source);
  }

  addDoor(door: ManifestDoor): void {
    this.#doors.push(door);
  }

  /** The registrations that only entries of `external` without a name excuse. */
  excused(): readonly Registration[] {
    const isBroad = (key: string) =>
      this.#external.some(({ kind, name }) => name === undefined && key.startsWith(`${kind} `));
    const isNamed = (key: string) =>
      this.#external.some(({ kind, name }) => name !== undefined && key === `${kind} ${name}`);
    return [...this.#registrations.values()].filter(
      ({ key }) => !this.#attached.has(key) && isBroad(key) && !isNamed(key),
    );
  }

  /** The facts that are compared with the inventory at synth. */
  findings(): WiringFacts {
    return {
      registrations: [...this.#registrations.values()],
      attached: this.#attached,
      external: this.#external,
      doors: this.#doors,
      own: new Set(this.#wiring.node.findAll().map(({ node }) => node.path)),
    };
  }

  /** The facts for the manifest. */
  manifest(): ManifestFacts {
    return { fn: functionBehind(this.#wiring.fn), sources: this.#sources, doors: this.#doors };
  }
}
