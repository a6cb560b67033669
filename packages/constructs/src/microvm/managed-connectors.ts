import { ArnFormat, Stack } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/**
 * ARNs of the network connectors that AWS manages, for {@link MicrovmController} and {@link MicrovmImage}. For a connector into your VPC,
 * create a `NetworkConnector` of `aws-cdk-lib/aws-lambda` and pass its `networkConnectorArn`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/microvms-networking.html
 * @example new MicrovmController(this, 'Machines', { fn, images, ingressConnectors: [ManagedConnectors.httpIngress(this)] });
 */
export class ManagedConnectors {
  private constructor() {}

  /** No request reaches a machine. */
  static noIngress(scope: IConstruct): string {
    return arnOf(scope, 'NO_INGRESS');
  }

  /** HTTPS requests with a token reach a machine; its shell is not reachable. */
  static httpIngress(scope: IConstruct): string {
    return arnOf(scope, 'HTTP_INGRESS');
  }

  /** The shell of a machine can be reached with a token. */
  static shellIngress(scope: IConstruct): string {
    return arnOf(scope, 'SHELL_INGRESS');
  }

  /** All requests with a token reach a machine, and its shell. */
  static allIngress(scope: IConstruct): string {
    return arnOf(scope, 'ALL_INGRESS');
  }

  /** Machines reach the public internet. */
  static internetEgress(scope: IConstruct): string {
    return arnOf(scope, 'INTERNET_EGRESS');
  }
}

function arnOf(scope: IConstruct, name: string): string {
  return Stack.of(scope).formatArn({
    service: 'lambda',
    account: 'aws',
    resource: 'network-connector',
    resourceName: `aws-network-connector:${name}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
