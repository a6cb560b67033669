import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnMicrovmImage } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { grantOn } from '../internal/grants.js';
import { grantKey } from '../internal/keys.js';
import { misuse } from '../internal/misuse.js';
import { nameInStack } from '../internal/names.js';
import { count, defineProps, literal, literalWords, many, thing, words } from '../internal/props.js';
import { sharedRegistry } from '../internal/shared.js';

/** Props of {@link MicrovmImage}. */
export interface MicrovmImageProps {
  /**
   * The name of the image in the account: 1 to 64 letters, digits, `-` and `_`. An account and region has one image of a name.
   *
   * @default - from the path of the construct and the id of the stack, so that each stack has a separate image
   */
  readonly name?: string;
  /** The bucket of the archive with the program and its Dockerfile. */
  readonly codeBucket: IBucket;
  /** The key of the archive. */
  readonly codeKey: string;
  /** The ARN of the base image. */
  readonly baseImageArn: string;
  /** The version of the base image. An explicit version makes builds repeatable. */
  readonly baseImageVersion: string;
  /**
   * The purpose of the image.
   *
   * @default - its name, or the path of the construct
   */
  readonly description?: string;
  /**
   * Memory of a machine in MiB: 512, 1,024, 2,048, 4,096 or 8,192.
   *
   * @default 2048
   */
  readonly memoryMiB?: number;
  /**
   * Variables while the image is built, at most 50. They become part of the image: no secrets.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * The ARN of the network connector through which the build reaches a network.
   *
   * @default - none
   */
  readonly egressConnector?: string;
  /**
   * The log group of the build.
   *
   * @default - the build does not log
   */
  readonly logGroup?: ILogGroup;
  /**
   * The port of the lifecycle hooks of the program (`createMicrovmHooks` of `@sallyport/microvm/hooks`), 1 to 65,535.
   *
   * @default - no hooks
   */
  readonly hookPort?: number;
  /**
   * The hooks that the program implements: `ready`, `validate`, `run`, `resume`, `suspend`, `terminate`.
   *
   * @default - none, with `hookPort` `ready` and `run`
   */
  readonly hooks?: readonly string[];
  /**
   * The role of the build.
   *
   * @default - a new role that may read the archive and write to the log
   */
  readonly buildRole?: IRole;
}

const IMAGE_HOOKS: readonly string[] = ['ready', 'validate'];
const MACHINE_HOOKS: readonly string[] = ['run', 'resume', 'suspend', 'terminate'];
const MEMORY: readonly number[] = [512, 1024, 2048, 4096, 8192];

/** Validators and defaults for {@link MicrovmImageProps}. */
export const MICROVM_IMAGE_PROPS = defineProps<MicrovmImageProps>('MicrovmImage')({
  name: literalWords('1 to 64 letters, digits, - and _', /^[\w-]{1,64}$/),
  codeBucket: thing<IBucket>('a bucket', 'bucketArn').required(),
  codeKey: words('the key of an object').required(),
  baseImageArn: words('the ARN of an image').required(),
  baseImageVersion: words('a version').required(),
  description: words(),
  memoryMiB: literal<number>(MEMORY.join(' or '), (value) => MEMORY.includes(value as number)).default(2048),
  environment: literal<Readonly<Record<string, string>>>(
    'an object of at most 50 strings',
    (value) => typeof value === 'object' && value !== null && Object.keys(value).length <= 50,
  ).default({}),
  egressConnector: words('the ARN of a network connector'),
  logGroup: thing<ILogGroup>('a log group', 'logGroupArn'),
  hookPort: count(1, 65_535),
  hooks: many<string>(`a list of ${[...IMAGE_HOOKS, ...MACHINE_HOOKS].join(', ')}`, (one) =>
    [...IMAGE_HOOKS, ...MACHINE_HOOKS].includes(one as string),
  ),
  buildRole: thing<IRole>('a role', 'roleArn'),
});

type Parsed = ReturnType<typeof MICROVM_IMAGE_PROPS.parse>;

/**
 * An image of Lambda MicroVMs for arm64, and the role that builds it.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-lambda-microvmimage.html
 * @example
 * const image = new MicrovmImage(this, 'Notebook', {
 *   codeBucket, codeKey: 'notebook.zip', baseImageArn, baseImageVersion: '1', hookPort: 9000,
 * });
 */
export class MicrovmImage extends Construct {
  /** The image. */
  readonly image: CfnMicrovmImage;
  /** The role that builds it. */
  readonly buildRole: IRole;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, hooks without a port */
  constructor(scope: Construct, id: string, props: MicrovmImageProps) {
    super(scope, id);
    const parsed = MICROVM_IMAGE_PROPS.parse(this, props);
    const { name, codeBucket, codeKey, logGroup, environment, egressConnector, memoryMiB, description } = parsed;
    if (parsed.hooks && parsed.hookPort === undefined)
      throw misuse(this, { what: 'hooks without hookPort', expected: 'the port that the program listens on' });
    this.buildRole =
      parsed.buildRole ?? new Role(this, 'BuildRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    grantOn(this.buildRole, ['s3:GetObject'], [codeBucket.arnForObjects(codeKey)]);
    grantKey(codeBucket.encryptionKey, this.buildRole, 'bucket', 'read');
    if (logGroup) grantOn(this.buildRole, ['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
    this.image = new CfnMicrovmImage(this, 'Resource', {
      name: name ?? nameInStack(this),
      description: description ?? name ?? this.node.path,
      baseImageArn: parsed.baseImageArn,
      baseImageVersion: parsed.baseImageVersion,
      buildRoleArn: this.buildRole.roleArn,
      codeArtifact: { uri: codeBucket.s3UrlForObject(codeKey) },
      cpuConfigurations: [{ architecture: 'ARM_64' }],
      resources: [{ minimumMemoryInMiB: memoryMiB }],
      additionalOsCapabilities: [],
      environmentVariables: Object.entries<string>(environment).map(([key, value]) => ({ key, value })),
      egressNetworkConnectors: egressConnector === undefined ? [] : [egressConnector],
      logging: logGroup ? { cloudWatch: { logGroup: logGroup.logGroupName } } : { disabled: true },
      hooks: hooksOf(parsed),
    });
    this.image.applyRemovalPolicy(RemovalPolicy.RETAIN);
    this.image.node.addDependency(this.buildRole);
  }

  /** The ARN of the image, for {@link MicrovmController}. */
  get imageArn(): string {
    return this.image.attrImageArn;
  }
}

function hooksOf({ hookPort, hooks = ['ready', 'run'] }: Parsed): CfnMicrovmImage.HooksProperty {
  if (hookPort === undefined) return {};
  const enabled = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => hooks.includes(name)).map((name) => [name, 'ENABLED']));
  return { port: hookPort, microvmImageHooks: enabled(IMAGE_HOOKS), microvmHooks: enabled(MACHINE_HOOKS) };
}

/** The table of the controller that each image was passed to. */
const tables = sharedRegistry<MicrovmImage, object>('image-tables/1');

/** True if a prop is the construct and not an ARN. */
export function isMicrovmImage(value: unknown): value is MicrovmImage {
  return typeof value === 'object' && value !== null && 'imageArn' in value && 'buildRole' in value;
}

/**
 * Records that all machines of an image belong to one table.
 *
 * @throws ConstructError `constructs.conflict` for a second table
 */
export function claimImage(at: Construct, image: MicrovmImage, table: object): void {
  const owner = tables.get(image) ?? table;
  tables.set(image, owner);
  if (owner === table) return;
  throw misuse(at, {
    what: `${image.node.path}, whose machines belong to the table of another controller`,
    expected: 'the same table, or an ARN: imageArn',
    code: 'constructs.conflict',
  });
}
