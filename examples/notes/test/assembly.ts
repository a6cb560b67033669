import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

const here = fileURLToPath(new URL('..', import.meta.url));

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Region': 'eu-west-1',
  'AWS::AccountId': '123456789012',
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** The cloud assembly of the service, as `npm run synth` writes it. */
export class Assembly {
  /** The resources of the template, by logical id. */
  readonly resources: Readonly<Record<string, Resource>>;
  /** The bundle of the function. */
  readonly bundle: string;

  /** @param folder an empty folder for the assembly */
  constructor(folder: string) {
    const env = { ...process.env, CDK_OUTDIR: folder, CDK_VALIDATION: 'false' };
    const { status, stderr } = spawnSync(process.execPath, ['../../scripts/synth.mjs'], {
      cwd: here,
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`synth failed: ${stderr}`);
    const template = JSON.parse(readFileSync(join(folder, 'Notes.template.json'), 'utf8'));
    this.resources = (template as { Resources: Record<string, Resource> }).Resources;
    const { Code } = this.resources[this.idOf('AWS::Lambda::Function', 'Service')]?.Properties ?? {};
    const { S3Key } = Code as { S3Key: string };
    this.bundle = join(folder, `asset.${S3Key.replace('.zip', '')}`, 'index.mjs');
  }

  /** The only logical id of a type with this prefix. */
  idOf(type: string, beginning = ''): string {
    const found = Object.entries(this.resources).filter(([id, { Type }]) => Type === type && id.startsWith(beginning));
    if (found.length !== 1) throw new Error(`${found.length} resources ${type} ${beginning}`);
    return (found[0] as [string, Resource])[0];
  }

  /** The variables of the function, with names instead of references. */
  variables(): Record<string, string> {
    const { Environment } = this.resources[this.idOf('AWS::Lambda::Function', 'Service')]?.Properties ?? {};
    const { Variables } = Environment as { Variables: Record<string, unknown> };
    return Object.fromEntries(Object.entries(Variables).map(([name, value]) => [name, this.#resolve(value)]));
  }

  /** The tables of the template, created in DynamoDB. */
  tables(): readonly CreateTableCommandInput[] {
    return Object.entries(this.resources)
      .filter(([, { Type }]) => Type === 'AWS::DynamoDB::Table')
      .map(([id, { Properties }]) => {
        const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } =
          Properties as unknown as CreateTableCommandInput;
        return {
          TableName: id,
          BillingMode: 'PAY_PER_REQUEST',
          KeySchema,
          AttributeDefinitions,
          ...(GlobalSecondaryIndexes ? { GlobalSecondaryIndexes } : {}),
        };
      });
  }

  /** A reference is the logical id, an attribute of a queue its name. */
  #resolve(value: unknown): string {
    if (typeof value !== 'object' || value === null) return String(value);
    const {
      Ref,
      'Fn::GetAtt': attribute,
      'Fn::Join': joined,
    } = value as {
      readonly Ref?: string;
      readonly 'Fn::GetAtt'?: readonly [string, string];
      readonly 'Fn::Join'?: readonly [string, readonly unknown[]];
    };
    if (joined) return joined[1].map((part) => this.#resolve(part)).join(joined[0]);
    const id = attribute?.[0] ?? Ref ?? '';
    if (id.startsWith('AWS::')) return PSEUDO[id] ?? id;
    return this.resources[id]?.Properties?.FifoQueue === true ? `${id}.fifo` : id;
  }
}
