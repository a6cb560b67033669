import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Template } from '../../support/template.js';

/** The used part of `@aws/cloudformation-validate`, which is bundled in the CDK and has no types here. */
interface ValidationPackage {
  readonly CompositeEngine: new (config: { guardRules: readonly { name: string; content: string }[] }) => Engine;
  readonly TemplateContent: new (content: string, name: string) => unknown;
}

interface Engine {
  validateTemplate(template: unknown, config: object): { readonly diagnostics: readonly Diagnostic[] };
  free(): void;
}

interface Diagnostic {
  readonly severity: string;
  readonly ruleId: string;
  readonly message: string;
  readonly propertyPath?: string;
  readonly entity?: { readonly logicalId?: string };
}

/** Rules that the CDK ignores too: they check the style of a template, and ours are generated. */
const IGNORED = ['W3005', 'W1020', 'I4010', 'W4011', 'W4012', 'W9002', 'W9013', 'W1103'];

/** The engine that the CDK bundles, with the rules of `rules.guard`. Free it after use. */
export function startEngine() {
  const require = createRequire(createRequire(import.meta.url).resolve('aws-cdk-lib/core'));
  const { CompositeEngine, TemplateContent } = require('@aws/cloudformation-validate') as ValidationPackage;
  const content = readFileSync(new URL('../rules.guard', import.meta.url), 'utf8');
  const engine = new CompositeEngine({ guardRules: [{ name: 'rules', content }] });
  return {
    /** Errors and warnings, as `rule logical id property: message`. */
    validate(template: Template, name = 'template'): readonly string[] {
      const { diagnostics } = engine.validateTemplate(new TemplateContent(JSON.stringify(template), name), {
        detailLevel: 'STANDARD',
        severityLevel: 'WARN',
        exclude: { ids: IGNORED },
      });
      return diagnostics.map(
        ({ ruleId, entity, propertyPath = '', message }) =>
          `${ruleId} ${entity?.logicalId ?? ''} ${propertyPath}: ${message}`,
      );
    },
    free: () => engine.free(),
  };
}

/** The names of the rules in `rules.guard`. */
export function ruleNames(): readonly string[] {
  const text = readFileSync(new URL('../rules.guard', import.meta.url), 'utf8');
  return [...text.matchAll(/^rule (\w+)/gm)].map(([, name]) => name as string);
}
