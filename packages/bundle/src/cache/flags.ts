/**
 * The flags that Lambda's bootstrap passes to Node. The young generation gets a twentieth of the memory, the old generation what a tenth leaves, in
 * whole numbers: at 256 MB 12 and 231. V8 rejects a start cache that was made with other flags.
 *
 * @param memoryMb the memory of the function, in MB
 * @param nodeMajor the major version of Node: 20 and 22 reject `require` of ES modules on Lambda
 * @see https://github.com/aws/aws-lambda-base-images `/var/runtime/bootstrap` of the images `public.ecr.aws/lambda/nodejs`
 * @example lambdaFlags(256, 24);
 * // ['--expose-gc', '--max-http-header-size=81920', '--max-semi-space-size=12', '--max-old-space-size=231']
 */
export function lambdaFlags(memoryMb: number, nodeMajor: number): readonly string[] {
  const young = Math.floor(memoryMb / 10);
  return [
    '--expose-gc',
    '--max-http-header-size=81920',
    `--max-semi-space-size=${Math.floor(young / 2)}`,
    `--max-old-space-size=${memoryMb - young}`,
    ...(nodeMajor < 24 ? ['--no-experimental-require-module'] : []),
    ...(nodeMajor === 22 ? ['--no-experimental-detect-module'] : []),
  ];
}
