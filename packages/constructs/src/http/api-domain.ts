import { CfnApiMapping, CfnDomainName, type CfnDomainNameProps } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, type IHostedZone, PrivateHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Stack, Token } from 'aws-cdk-lib/core';
import { Construct, type IConstruct } from 'constructs';
import { misuse } from '../internal/misuse.js';
import { defineProps, literalWords, thing, words } from '../internal/props.js';
import { sharedRegistry } from '../internal/shared.js';

/** Props of {@link ApiDomain}. */
export interface ApiDomainProps {
  /** The name, `api.notes.example`. */
  readonly domainName: string;
  /**
   * The certificate for the name, in the region of the API.
   *
   * @default - with `hostedZone`: a new certificate, which a DNS record of the zone validates
   */
  readonly certificate?: ICertificate;
  /**
   * The public hosted zone of the name. The record of the domain is created in it.
   *
   * @default - you create the record
   */
  readonly hostedZone?: IHostedZone;
  /**
   * The bucket with the certificates of the authorities that clients' certificates must be signed by: mutual TLS. Requires `truststoreKey`.
   * WebSocket APIs do not support it.
   *
   * @default - clients need no certificate
   */
  readonly truststoreBucket?: IBucket;
  /**
   * The key of the PEM file in `truststoreBucket`.
   *
   * @default - no mutual TLS
   */
  readonly truststoreKey?: string;
  /**
   * The version of that object, in a versioned bucket: a new version then needs a deployment, and API Gateway uses the old version until then.
   *
   * @default - the newest version at the time of the deployment
   */
  readonly truststoreVersion?: string;
  /**
   * With mutual TLS and an imported or private `certificate`: a public certificate of ACM that proves that the name is yours.
   *
   * @default - none
   */
  readonly ownershipCertificate?: ICertificate;
  /**
   * The first part of every path, without slashes: `v1` maps `/v1/notes` to `/notes` of the API.
   *
   * @default - none: the API is at the root
   */
  readonly basePath?: string;
}

const DOMAIN_NAME = /^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?:\.(?!-)[a-z0-9-]{1,63})+$/;

/** Validators and defaults for {@link ApiDomainProps}. */
export const API_DOMAIN_PROPS = defineProps<ApiDomainProps>('ApiDomain')({
  domainName: literalWords('a domain name, at most 253 characters', DOMAIN_NAME).required(),
  certificate: thing<ICertificate>('a certificate', 'certificateArn'),
  hostedZone: thing<IHostedZone>('a hosted zone', 'hostedZoneId', 'zoneName'),
  truststoreBucket: thing<IBucket>('a bucket', 'bucketName'),
  truststoreKey: words('the key of an object', /^\S[^\r\n]{0,1023}$/),
  truststoreVersion: words('the version of an object', /^\S{1,1024}$/),
  ownershipCertificate: thing<ICertificate>('a certificate', 'certificateArn'),
  basePath: literalWords('a path without slashes at its ends', /^[^/\s][^\s]*[^/\s]$|^[^/\s]$/),
});

/** The mapped API of a domain. */
export interface ApiDomainTarget {
  /** The id of an HTTP API, a REST API or a WebSocket API. */
  readonly apiId: string;
  /** Its stage. */
  readonly stage: string;
  /**
   * True for a WebSocket API.
   *
   * @default false
   */
  readonly webSocket?: boolean;
  /** The stage as a construct: it must exist first. */
  readonly dependsOn: IConstruct;
}

const domains = sharedRegistry<IConstruct, readonly ApiDomain[]>('domains/1');

/**
 * A domain name of one regional HTTP, REST or WebSocket API, with TLS 1.2 or later. With `hostedZone` it creates the certificate and the record; otherwise
 * point your record to `target` in the zone `hostedZoneId`.
 *
 * @example
 * const hostedZone = HostedZone.fromLookup(this, 'Zone', { domainName: 'notes.example' });
 * const domain = new ApiDomain(this, 'Domain', { domainName: 'api.notes.example', hostedZone });
 * const api = new HttpApi(this, 'Api', { fn: service.fn, domain });
 */
export class ApiDomain extends Construct {
  /** The domain name. */
  readonly resource: CfnDomainName;
  /** The name. */
  readonly domainName: string;
  /** The first part of every path, or `undefined`. */
  readonly basePath: string | undefined;
  /** The public address, without a slash at its end. */
  readonly url: string;
  /** The target of the DNS record. */
  readonly target: string;
  /** The zone of the target, for an alias record. */
  readonly hostedZoneId: string;
  readonly #hasMutualTls: boolean;
  #mapped = false;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, a certificate of another region, a name outside the zone, a private zone, parts of
   *   mutual TLS
   */
  constructor(scope: Construct, id: string, props: ApiDomainProps) {
    super(scope, id);
    const parsed = API_DOMAIN_PROPS.parse(this, props);
    const { domainName, hostedZone, basePath, ownershipCertificate } = parsed;
    checkZone(this, domainName, hostedZone, parsed.certificate === undefined);
    checkTrust(this, parsed);
    const certificate = parsed.certificate ?? newCertificate(this, domainName, hostedZone);
    this.domainName = domainName;
    checkUnique(this);
    for (const one of [certificate, ownershipCertificate]) if (one) checkRegion(this, one);
    this.#hasMutualTls = parsed.truststoreKey !== undefined;
    this.basePath = basePath;
    this.url = `https://${domainName}${basePath === undefined ? '' : `/${basePath}`}`;
    this.resource = new CfnDomainName(this, 'Resource', {
      domainName,
      domainNameConfigurations: [
        {
          certificateArn: certificate.certificateArn,
          endpointType: 'REGIONAL',
          securityPolicy: 'TLS_1_2',
          ...(ownershipCertificate && {
            ownershipVerificationCertificateArn: ownershipCertificate.certificateArn,
          }),
        },
      ],
      ...trustOf(parsed),
    });
    this.target = this.resource.attrRegionalDomainName;
    this.hostedZoneId = this.resource.attrRegionalHostedZoneId;
    if (!hostedZone) return;
    const { target: dnsName, hostedZoneId } = this;
    new ARecord(this, 'Record', {
      zone: hostedZone,
      recordName: `${domainName}.`,
      target: RecordTarget.fromAlias({ bind: () => ({ dnsName, hostedZoneId }) }),
    });
  }

  /**
   * Maps the domain to an API. The constructs of APIs call it.
   *
   * @throws ConstructError `constructs.conflict` for a second API; `constructs.invalid_prop` for a WebSocket API with mutual TLS
   */
  mapTo(api: IConstruct, { apiId, stage, dependsOn, webSocket = false }: ApiDomainTarget): void {
    if (webSocket && this.#hasMutualTls) {
      throw misuse(this, {
        what: `truststoreKey with the WebSocket API ${api.node.path}`,
        expected: 'an HTTP API or a REST API',
      });
    }
    if (this.#mapped) {
      const what = `domain ${this.domainName} is mapped to another API than ${api.node.path} already`;
      throw misuse(this, { what, expected: 'one ApiDomain for each API', code: 'constructs.conflict' });
    }
    this.#mapped = true;
    const mapping = new CfnApiMapping(this, 'Mapping', {
      apiId,
      stage,
      domainName: this.resource.ref,
      ...(this.basePath === undefined ? {} : { apiMappingKey: this.basePath }),
    });
    mapping.node.addDependency(dependsOn);
  }
}

/** A regional API needs a certificate of its region; `us-east-1` is for edge-optimized ones. */
function checkRegion(at: Construct, { certificateArn }: ICertificate): void {
  const { region } = Stack.of(at);
  if (Token.isUnresolved(region) || Token.isUnresolved(certificateArn)) return;
  const own = certificateArn.split(':')[3];
  if (own === region) return;
  throw misuse(at, { what: `certificate of the region ${own}`, expected: `one of ${region}, the region of the stack` });
}

/** Rejects a second domain with this name: AWS rejects it at the deployment. Names of stacks without an account and region are not compared. */
function checkUnique(at: ApiDomain): void {
  const own = Stack.of(at);
  const isSame = (stack: Stack) =>
    stack === own ||
    (![own.region, own.account].some((one) => Token.isUnresolved(one)) &&
      stack.region === own.region &&
      stack.account === own.account);
  const other = domains.get(at.node.root)?.find((one) => one.domainName === at.domainName && isSame(Stack.of(one)));
  if (other) {
    throw misuse(at, {
      what: `domainName ${at.domainName} is the name of ${other.node.path} already`,
      expected: 'one ApiDomain for each name',
      code: 'constructs.conflict',
    });
  }
  domains.set(at.node.root, [...(domains.get(at.node.root) ?? []), at]);
}

function newCertificate(at: Construct, domainName: string, hostedZone: IHostedZone | undefined): ICertificate {
  if (hostedZone) {
    const validation = CertificateValidation.fromDns(hostedZone);
    return new Certificate(at, 'Certificate', { domainName, validation });
  }
  throw misuse(at, { what: 'no certificate', expected: '"certificate", or "hostedZone" for a new one' });
}

function checkZone(at: Construct, name: string, hostedZone: IHostedZone | undefined, isNew: boolean): void {
  if (!hostedZone) return;
  const { zoneName } = hostedZone;
  if (!Token.isUnresolved(zoneName) && name !== zoneName && !name.endsWith(`.${zoneName}`)) {
    throw misuse(at, { what: 'domainName', got: name, expected: `a name in the zone of hostedZone, ${zoneName}` });
  }
  if (isNew && hostedZone instanceof PrivateHostedZone) {
    throw misuse(at, {
      what: 'hostedZone is private',
      expected: 'a public zone: ACM reads the record from the internet',
    });
  }
}

type Trust = Pick<ApiDomainProps, 'truststoreBucket' | 'truststoreKey' | 'truststoreVersion' | 'ownershipCertificate'>;

function checkTrust(at: Construct, props: { readonly [K in keyof Trust]: Trust[K] | undefined }): void {
  const { truststoreBucket, truststoreKey, truststoreVersion, ownershipCertificate } = props;
  if ((truststoreBucket === undefined) !== (truststoreKey === undefined)) {
    const given = truststoreBucket ? 'truststoreBucket' : 'truststoreKey';
    throw misuse(at, { what: `${given} alone`, expected: 'truststoreBucket and truststoreKey' });
  }
  if (truststoreBucket) return;
  const surplus =
    truststoreVersion === undefined ? ownershipCertificate && 'ownershipCertificate' : 'truststoreVersion';
  if (surplus !== undefined) throw misuse(at, { what: `${surplus} without truststoreBucket`, expected: 'mutual TLS' });
}

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-mutual-tls.html */
function trustOf(props: { readonly [K in keyof Trust]: Trust[K] | undefined }): Partial<CfnDomainNameProps> {
  const { truststoreBucket, truststoreKey, truststoreVersion } = props;
  if (!truststoreBucket || truststoreKey === undefined) return {};
  return {
    mutualTlsAuthentication: {
      truststoreUri: truststoreBucket.s3UrlForObject(truststoreKey),
      ...(truststoreVersion !== undefined && { truststoreVersion }),
    },
  };
}
