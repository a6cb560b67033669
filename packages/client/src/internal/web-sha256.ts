const ALGORITHM = 'SHA-256';

/** SHA-256 of the platform's Web Crypto, as HMAC if there is a key, in the form that the signer of the AWS SDK expects. */
export class WebSha256 {
  readonly #key: Uint8Array<ArrayBuffer> | undefined;
  #data: Uint8Array<ArrayBuffer>[] = [];

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#key = key === undefined ? undefined : toBytes(key);
  }

  update(data: Uint8Array): void {
    this.#data.push(toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    const data = await new Blob(this.#data).arrayBuffer();
    if (!this.#key) return new Uint8Array(await crypto.subtle.digest(ALGORITHM, data));
    const key = await crypto.subtle.importKey('raw', this.#key, { name: 'HMAC', hash: ALGORITHM }, false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign('HMAC', key, data));
  }

  reset(): void {
    this.#data = [];
  }
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return Uint8Array.from(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}
