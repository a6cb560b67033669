/** What stands in front of an API, at the edge locations of CloudFront. */
export { ChallengeEdge, type ChallengeEdgeProps } from './edge/challenge-edge.js';
