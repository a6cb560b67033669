import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { SourceAccessConfigurationType } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { misuse } from '../../internal/misuse.js';
import { choice, literal, many, thing } from '../../internal/props.js';

/** Props of a mapping to brokers that are not of Amazon MSK, and of the authentication of its poller. */
export interface KafkaBrokerProps {
  /**
   * The brokers of a self-managed Kafka, `broker.example.com:9092`, at most 10.
   *
   * @default - `clusterArn`
   */
  readonly bootstrapServers?: readonly string[];
  /**
   * The way in which the poller authenticates with `secret`.
   *
   * @default 'scram-512'
   * @see https://docs.aws.amazon.com/lambda/latest/dg/kafka-cluster-auth.html
   */
  readonly authentication?: 'scram-512' | 'scram-256' | 'basic' | 'certificate';
  /**
   * The secret with the certificate of the authority that signed the brokers' certificates.
   *
   * @default - a public authority
   */
  readonly rootCertificate?: ISecret;
  /**
   * The network of the brokers.
   *
   * @default - the internet
   */
  readonly vpc?: IVpc;
  /**
   * The subnets in which the poller reaches the brokers.
   *
   * @default - the private subnets of `vpc`
   */
  readonly vpcSubnets?: SubnetSelection;
  /**
   * The security group of the poller. Required with `vpc`.
   *
   * @default - none
   */
  readonly securityGroup?: ISecurityGroup;
}

const SERVER = /^[a-zA-Z0-9.-]{1,253}:\d{1,5}$/;

/** Validators of {@link KafkaBrokerProps}. */
export const KAFKA_BROKER_KINDS = {
  bootstrapServers: many<string>('a list of brokers such as broker.example.com:9092', (one) =>
    SERVER.test(String(one)),
  ),
  authentication: choice('scram-512', 'scram-256', 'basic', 'certificate'),
  rootCertificate: thing<ISecret>('a secret', 'secretArn'),
  vpc: thing<IVpc>('a Vpc', 'vpcId'),
  vpcSubnets: literal<SubnetSelection>(
    'a selection of subnets',
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ),
  securityGroup: thing<ISecurityGroup>('a security group', 'securityGroupId'),
};

/** The props of a mapping that determine its brokers. */
interface Brokers {
  readonly clusterArn: string | undefined;
  readonly secret: ISecret | undefined;
  readonly bootstrapServers: readonly string[] | undefined;
  readonly authentication: KafkaBrokerProps['authentication'] | undefined;
  readonly rootCertificate: ISecret | undefined;
  readonly vpc: IVpc | undefined;
  readonly vpcSubnets: SubnetSelection | undefined;
  readonly securityGroup: ISecurityGroup | undefined;
}

const MAX_SERVERS = 10;

/** The identity of a cluster: its ARN, or its brokers. */
export function clusterOf(at: Construct, { clusterArn, bootstrapServers }: Brokers): string {
  if ((clusterArn === undefined) === (bootstrapServers === undefined)) {
    const what = clusterArn === undefined ? 'no cluster' : 'clusterArn and bootstrapServers';
    throw misuse(at, { what, expected: 'one of "clusterArn" and "bootstrapServers"' });
  }
  if (clusterArn !== undefined) return clusterArn;
  const servers = bootstrapServers ?? [];
  if (servers.length === 0 || servers.length > MAX_SERVERS) {
    throw misuse(at, { what: 'bootstrapServers', got: servers, expected: `1 to ${MAX_SERVERS} brokers` });
  }
  return [...servers].sort().join(',');
}

const { SASL_SCRAM_512_AUTH, SASL_SCRAM_256_AUTH, BASIC_AUTH, CLIENT_CERTIFICATE_TLS_AUTH } =
  SourceAccessConfigurationType;

const AUTHENTICATIONS = {
  'scram-512': SASL_SCRAM_512_AUTH,
  'scram-256': SASL_SCRAM_256_AUTH,
  basic: BASIC_AUTH,
  certificate: CLIENT_CERTIFICATE_TLS_AUTH,
} as const;

/**
 * The source of a mapping, and the secrets that its poller reads.
 *
 * @throws ConstructError `constructs.invalid_prop` for props that do not fit the kind of the cluster
 */
export function brokerSettings(at: Construct, brokers: Brokers) {
  const { clusterArn, secret, bootstrapServers, authentication = 'scram-512', rootCertificate, vpc } = brokers;
  checkBrokers(at, brokers);
  const { VPC_SUBNET, VPC_SECURITY_GROUP, SERVER_ROOT_CA_CERTIFICATE } = SourceAccessConfigurationType;
  const access = [
    ...(secret ? [{ type: AUTHENTICATIONS[authentication], uri: secret.secretArn }] : []),
    ...(rootCertificate ? [{ type: SERVER_ROOT_CA_CERTIFICATE, uri: rootCertificate.secretArn }] : []),
    ...(vpc?.selectSubnets(brokers.vpcSubnets).subnetIds ?? []).map((id) => ({
      type: VPC_SUBNET,
      uri: `subnet:${id}`,
    })),
    ...(brokers.securityGroup
      ? [{ type: VPC_SECURITY_GROUP, uri: `security_group:${brokers.securityGroup.securityGroupId}` }]
      : []),
  ];
  const settings = {
    ...(clusterArn !== undefined && { eventSourceArn: clusterArn }),
    ...(bootstrapServers && { kafkaBootstrapServers: [...bootstrapServers] }),
    ...(access.length > 0 && { sourceAccessConfigurations: access }),
  };
  return { settings, secrets: [secret, rootCertificate].filter((one) => one !== undefined) };
}

function checkBrokers(at: Construct, brokers: Brokers): void {
  const { bootstrapServers, secret, authentication, vpc, securityGroup } = brokers;
  if (!bootstrapServers) {
    const surplus = (['rootCertificate', 'vpc', 'vpcSubnets', 'securityGroup'] as const).find((name) => brokers[name]);
    if (surplus !== undefined) {
      throw misuse(at, {
        what: `${surplus} with clusterArn`,
        expected: `no ${surplus}: Lambda reads the network and the certificates of an MSK cluster itself`,
      });
    }
    if (authentication !== undefined && !secret)
      throw misuse(at, { what: 'authentication without secret', expected: 'secret too; or only clusterArn, for IAM' });
    return;
  }
  if (!secret) {
    throw misuse(at, {
      what: 'bootstrapServers without secret',
      expected: 'the secret with the credentials: only Amazon MSK authenticates a role',
    });
  }
  if ((vpc === undefined) !== (securityGroup === undefined) || (brokers.vpcSubnets && !vpc)) {
    throw misuse(at, {
      what: 'only a part of vpc and securityGroup',
      expected: 'both; or neither, if the brokers are public',
    });
  }
}
