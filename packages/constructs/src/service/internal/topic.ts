import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { acknowledge } from '../../internal/acknowledge.js';

/** A topic without a key: CloudWatch and other AWS services cannot publish with `alias/aws/sns`. */
export function createTopic(scope: Construct, id: string): Topic {
  const topic = new Topic(scope, id, { enforceSSL: true });
  const reason = 'AWS services cannot publish with the key that AWS manages: pass a topic with your key to encrypt it.';
  acknowledge(topic, 'AwsSolutions::AwsSolutions-SNS2', reason);
  acknowledge(topic, 'Serverless::Serverless-SNSEncrypted', reason);
  return topic;
}
