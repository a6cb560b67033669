import { CfnApiMapping, CfnDomainName } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Stack, Token } from 'aws-cdk-lib/core';
import { Construct, type IConstruct } from 'constructs';
import { misuse } from '../internal/misuse.js';
import { defineProps, literalWords, thing } from '../internal/props.js';

/** Props of {@link ApiDomain}. */
export interface ApiDomainProps {
  /** The name, `api.notes.example`. */
  readonly domainName: string;
  /** The certificate for the name, in the region of the API. */
  readonly certificate: ICertificate;
  /**
   * The first part of every path, without slashes: `v1` maps `/v1/notes` to `/notes` of the API.
   *
   * @default - none: the API is at the root
   */
  readonly basePath?: string;
}

/** Validators and defaults for {@link ApiDomainProps}. */
export const API_DOMAIN_PROPS = defineProps<ApiDomainProps>('ApiDomain')({
  domainName: literalWords('a domain name', /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/).required(),
  certificate: thing<ICertificate>('a certificate', 'certificateArn').required(),
  basePath: literalWords('a path without slashes at its ends', /^[^/\s][^\s]*[^/\s]$|^[^/\s]$/),
});

/** The mapped API of a domain. */
export interface ApiDomainTarget {
  /** The id of an HTTP API, a REST API or a WebSocket API. */
  readonly apiId: string;
  /** Its stage. */
  readonly stage: string;
  /** The stage as a construct: it must exist first. */
  readonly dependsOn: IConstruct;
}

/**
 * A domain name of one regional API, with TLS 1.2 or later. You create the DNS record: point it to `target` in the zone `hostedZoneId`.
 *
 * @example
 * const domain = new ApiDomain(this, 'Domain', { domainName: 'api.notes.example', certificate });
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
  #mapped = false;

  constructor(scope: Construct, id: string, props: ApiDomainProps) {
    super(scope, id);
    const { domainName, certificate, basePath } = API_DOMAIN_PROPS.parse(this, props);
    this.domainName = domainName;
    checkRegion(this, certificate);
    this.basePath = basePath;
    this.url = `https://${domainName}${basePath === undefined ? '' : `/${basePath}`}`;
    this.resource = new CfnDomainName(this, 'Resource', {
      domainName,
      domainNameConfigurations: [
        { certificateArn: certificate.certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' },
      ],
    });
    this.target = this.resource.attrRegionalDomainName;
    this.hostedZoneId = this.resource.attrRegionalHostedZoneId;
  }

  /**
   * Maps the domain to an API. The constructs of APIs call it.
   *
   * @throws ConstructError `constructs.conflict` for a second API
   */
  mapTo(api: IConstruct, { apiId, stage, dependsOn }: ApiDomainTarget): void {
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
