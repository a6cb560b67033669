import { PRODUCER_ACTIONS } from '@sallyport/streams/schema';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { type CfnStream, type IStream, Stream, StreamEncryption, StreamMode } from 'aws-cdk-lib/aws-kinesis';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { grantOn } from '../internal/grants.js';
import { grantKey } from '../internal/keys.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, thing, time, words } from '../internal/props.js';

/** Props of {@link DataStream}. */
export interface DataStreamProps {
  /**
   * An existing stream. It must be encrypted; the encryption of an imported stream is not checked.
   *
   * @default - a new stream
   */
  readonly stream?: IStream;
  /**
   * The retention of records, 24 h to 365 days.
   *
   * @default Duration.hours(24)
   */
  readonly retention?: Duration;
  /**
   * Your KMS key.
   *
   * @default - the key that AWS manages for Kinesis in the account
   */
  readonly encryptionKey?: IKey;
  /**
   * The name of the stream.
   *
   * @default - generated
   */
  readonly streamName?: string;
}

/** Validators and defaults for {@link DataStreamProps}. */
export const DATA_STREAM_PROPS = defineProps<DataStreamProps>('DataStream')({
  stream: thing<IStream>('a data stream', 'streamArn'),
  retention: time(86_400, 31_536_000),
  encryptionKey: thing<IKey>('a key', 'keyArn'),
  streamName: words(),
});

/**
 * An encrypted on-demand data stream that is kept when the stack is removed, or an existing stream.
 *
 * @example
 * const clicks = new DataStream(this, 'Clicks');
 * clicks.grantWrite(producer);
 */
export class DataStream extends Construct {
  /** The stream. */
  readonly stream: IStream;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop or a stream without encryption */
  constructor(scope: Construct, id: string, props?: DataStreamProps) {
    super(scope, id);
    const { stream, retention, encryptionKey, streamName } = DATA_STREAM_PROPS.parse(this, props);
    if (stream instanceof Stream && (stream.node.defaultChild as CfnStream).streamEncryption === undefined) {
      throw misuse(this, {
        what: `the stream ${stream.node.path} is not encrypted`,
        expected: 'StreamEncryption.MANAGED or KMS',
      });
    }
    this.stream =
      stream ??
      (new Stream(this, 'Resource', {
        streamMode: StreamMode.ON_DEMAND,
        retentionPeriod: retention ?? Duration.hours(24),
        removalPolicy: RemovalPolicy.RETAIN,
        ...(streamName !== undefined && { streamName }),
        ...(encryptionKey
          ? { encryption: StreamEncryption.KMS, encryptionKey }
          : { encryption: StreamEncryption.MANAGED }),
      }) as IStream);
    if (stream || !encryptionKey) return;
    const reason = 'The stream has your key instead of the key that AWS manages for Kinesis.';
    acknowledge(this.stream, 'AwsSolutions::AwsSolutions-KDS3', reason);
  }

  /** Grants writing records. */
  grantWrite(grantee: IGrantable): Grant {
    grantKey(this.stream.encryptionKey, grantee, 'stream', 'write');
    return grantOn(grantee, PRODUCER_ACTIONS.kinesis, [this.stream.streamArn]);
  }
}
