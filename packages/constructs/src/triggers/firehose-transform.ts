import type { IRole } from 'aws-cdk-lib/aws-iam';
import type {
  DataProcessorBindOptions,
  DataProcessorConfig,
  DataProcessorProps,
  IDataProcessor,
} from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration, Size } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { grantOn } from '../internal/grants.js';
import { noteInvoker } from '../internal/invokers.js';
import { misuse } from '../internal/misuse.js';
import { count, defineProps, flag, literal, thing, time } from '../internal/props.js';
import { claimSource, invokedBy, timeoutOf } from '../internal/targets.js';

/** Props of the mapping between a delivery stream and its function. */
export interface FirehoseMappingProps {
  /**
   * The amount of data that Firehose collects before it invokes the function: 0.2 to 3 MiB. Larger buffers are rejected: a Lambda response is at most
   * 6 MB, and its base64 records are a third longer.
   *
   * @default Size.mebibytes(1)
   */
  readonly bufferSize?: Size;
  /**
   * The longest time for which Firehose collects records, at most 15 min.
   *
   * @default Duration.minutes(1)
   */
  readonly bufferInterval?: Duration;
  /**
   * Retries of a failed invocation, 0 to 300. Firehose then writes the records to the failure prefix.
   *
   * @default 3
   */
  readonly retries?: number;
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Props of {@link FirehoseTransform}. */
export interface FirehoseTransformProps extends FirehoseMappingProps {
  /** The function. Its timeout must be at most 5 min: Firehose waits no longer. */
  readonly fn: IFunction;
}

/** Validators and defaults for {@link FirehoseTransformProps}. */
export const FIREHOSE_TRANSFORM_PROPS = defineProps<FirehoseTransformProps>('FirehoseTransform')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  bufferSize: literal<Size>('a Size from 0.2 to 3 MiB', isBufferSize).default(Size.mebibytes(1)),
  bufferInterval: time(0, 900).default(Duration.minutes(1)),
  retries: count(0, 300).default(3),
  ownAlias: flag.default(false),
});

/** The response timeout of Firehose, in seconds. */
const ANSWER_SECONDS = 300;

/**
 * Transforms the records of Firehose delivery streams with a function, for `firehoseTransform()` of `@sallyport/triggers`. It is the
 * processor of their destinations; the role of each destination may invoke the function and read its configuration.
 *
 * @see https://docs.aws.amazon.com/firehose/latest/dev/data-transformation.html
 * @example
 * const processor = new FirehoseTransform(this, 'Clean', { fn });
 * new DeliveryStream(this, 'Clicks', { destination: new S3Bucket(bucket, { processors: [processor] }) });
 */
export class FirehoseTransform extends Construct implements IDataProcessor {
  readonly props: DataProcessorProps;
  readonly #target: IFunction;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, a timeout above 5 min; `constructs.conflict` for a second construct of a function */
  constructor(scope: Construct, id: string, props: FirehoseTransformProps) {
    super(scope, id);
    const { fn, bufferSize, bufferInterval, retries, ownAlias } = FIREHOSE_TRANSFORM_PROPS.parse(this, props);
    const seconds = timeoutOf(fn)?.toSeconds();
    if (seconds !== undefined && seconds > ANSWER_SECONDS) {
      const expected = `at most ${ANSWER_SECONDS} s: Firehose waits no longer`;
      throw misuse(this, { what: `timeout of ${fn.node.path}`, got: seconds, expected });
    }
    claimSource(this, fn, 'firehose', 'transformation');
    this.#target = invokedBy(this, fn, ownAlias);
    this.props = { bufferSize, bufferInterval, retries };
  }

  /** Called by the destination. */
  bind(scope: Construct, { role }: DataProcessorBindOptions): DataProcessorConfig {
    grantInvocation(role, this.#target);
    noteInvoker(this.#target, { construct: scope });
    return {
      processorType: 'Lambda',
      processorIdentifier: { parameterName: 'LambdaArn', parameterValue: this.#target.functionArn },
    };
  }
}

/** @see https://docs.aws.amazon.com/firehose/latest/dev/controlling-access.html#using-iam-s3 */
function grantInvocation(role: IRole, fn: IFunction): void {
  grantOn(role, ['lambda:InvokeFunction', 'lambda:GetFunctionConfiguration'], [fn.functionArn]);
}

function isBufferSize(value: unknown): boolean {
  if (!(value instanceof Size) || value.isUnresolved()) return false;
  const kibibytes = value.toKibibytes();
  return kibibytes >= 205 && kibibytes <= 3 * 1024;
}
