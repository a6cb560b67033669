import { createRequire } from 'node:module';
import { isObject, membersOf, stringOf } from '@sallyport/core/internal';
import type * as Yaml from 'yaml';
import type { CollectionTag, ScalarTag } from 'yaml';
import { usageError } from '../errors.js';

/** Loaded with the first template: most runs read no template, and the parser needs a megabyte. */
const loadYaml = () => createRequire(import.meta.url)('yaml') as typeof Yaml;

/** The functions of CloudFormation that have a short form in YAML: `!Ref`, `!GetAtt`, `!Sub` and so on. */
const FUNCTIONS = [
  ...['And', 'Base64', 'Cidr', 'Condition', 'Equals', 'FindInMap', 'GetAtt', 'GetAZs', 'If', 'ImportValue', 'Join'],
  ...['Not', 'Or', 'Ref', 'Select', 'Split', 'Sub', 'Transform', 'ToJsonString', 'Length', 'ForEach'],
];

/** `!Ref x` as the JSON form writes it: `{ "Ref": "x" }`; all others have the prefix `Fn::`. */
function longForm(name: string, value: unknown): object {
  return { [name === 'Ref' || name === 'Condition' ? name : `Fn::${name}`]: value };
}

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html */
const TAGS = FUNCTIONS.flatMap((name): (ScalarTag | CollectionTag)[] => [
  {
    tag: `!${name}`,
    resolve: (text: string) => longForm(name, name === 'GetAtt' ? attributeOf(text) : text),
  },
  { tag: `!${name}`, collection: 'seq', resolve: (items) => longForm(name, items.toJSON()) as never },
  { tag: `!${name}`, collection: 'map', resolve: (items) => longForm(name, items.toJSON()) as never },
]);

/** `Orders.Arn` as the pair that the JSON form has. */
function attributeOf(text: string): readonly [string, string] {
  const dot = text.indexOf('.');
  return dot < 0 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)];
}

/**
 * Parses a CloudFormation template, YAML or JSON, with the short forms of functions.
 *
 * @throws FrameworkError `local.usage` with the line of the problem
 */
export function parseTemplate(file: string, text: string): unknown {
  try {
    // YAML's merge keys and anchors are read as CloudFormation reads them; a template of many aliases is rejected by the parser.
    return JSON.parse(
      JSON.stringify(loadYaml().parse(text, { customTags: TAGS, logLevel: 'error', merge: true }) ?? null),
    );
  } catch (error) {
    const [problem = ''] = (error as Error).message.split('\n');
    throw usageError(`${file} is not valid YAML or JSON: ${problem.replace(/:$/, '')}`);
  }
}

/** Resolves the values of one template that are known before the deployment. */
export interface Values {
  /** A string, number, boolean, list or object; `undefined` for a value that is known only at deployment. */
  literal(value: unknown): unknown;
  /** The logical id of the resource that a value names: by `Ref`, `Fn::GetAtt`, or a `Fn::Sub` of only that; else `undefined`. */
  resource(value: unknown): string | undefined;
}

/** The values of a template: references to parameters have the parameters' defaults. */
export function createValues(template: Readonly<Record<string, unknown>>): Values {
  const parameters = membersOf(template.Parameters);
  const resources = membersOf(template.Resources);

  const literal = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(literal);
    if (!isObject(value)) return value;
    const [[name, given] = []] = Object.entries(value);
    if (name === 'Ref') return literal(membersOf(parameters[stringOf(given)]).Default);
    if (name === 'Fn::Sub') return substitute(given);
    if (name === 'Fn::ToJsonString') return JSON.stringify(literal(given));
    if (name?.startsWith('Fn::')) return undefined;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, literal(member)]));
  };

  const substitute = (given: unknown): string | undefined => {
    const text = Array.isArray(given) ? stringOf(given[0]) : stringOf(given);
    const own = Array.isArray(given) ? membersOf(given[1]) : {};
    let isKnown = true;
    const filled = text.replace(/\$\{([^!}][^}]*)\}/g, (_, name: string) => {
      const value = Object.hasOwn(own, name) ? literal(own[name]) : literal({ Ref: name });
      if (typeof value !== 'string' && typeof value !== 'number') isKnown = false;
      return String(value);
    });
    return isKnown ? filled : undefined;
  };

  const resource = (value: unknown): string | undefined => {
    const given = membersOf(value);
    const attribute = given['Fn::GetAtt'];
    const sub = /^\$\{([\w:]+)(?:\.[\w.]+)?\}$/.exec(stringOf(given['Fn::Sub']))?.[1];
    const id = given.Ref ?? (Array.isArray(attribute) ? attribute[0] : stringOf(attribute).split('.')[0]) ?? sub;
    const name = stringOf(id) || sub;
    return name !== undefined && Object.hasOwn(resources, name) ? name : undefined;
  };

  return { literal, resource };
}
