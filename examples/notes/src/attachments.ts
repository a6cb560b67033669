import { FrameworkError } from '@sallyport/core';
import { binary, bind, created } from '@sallyport/http';
import type { ObjectRef, ObjectStore, UploadGrants } from '@sallyport/objectstore';
import { Authenticated, type SecureApp } from '@sallyport/secure';
import type { NoteStore } from './notes.js';
import { Attached, AttachmentParams, AttachmentType, Grant, Upload } from './schemas.js';

/** The store of attachments, and the signer of their uploads. */
export interface AttachmentsConfig {
  readonly bucket: string;
  readonly store: ObjectStore;
  readonly grants: UploadGrants;
}

/** The largest file that the function sends itself: responses are at most 6 MB, as base64. */
const MAX_ATTACHMENT_BYTES = 4_000_000;
const GRANT_SECONDS = 300;

/** Small files are sent through the function. A browser with a grant sends its file directly to the bucket. */
export function registerAttachments(
  app: SecureApp,
  notes: NoteStore,
  { bucket, store, grants }: AttachmentsConfig,
): void {
  const refOf = async ({ id, name }: AttachmentParams): Promise<ObjectRef> => {
    if (!(await notes.get(id))) throw new FrameworkError('app.not_found', 'no such note');
    return { bucket, key: `notes/${id}/${name}` };
  };
  app.put(
    '/notes/{id}/attachments/{name}',
    bind({ params: AttachmentParams, response: Attached, status: 201 }, async (ctx, { params }) => {
      const payload = ctx.request.body;
      const { data: contentType } = AttachmentType.safeParse(ctx.header('content-type'));
      if (!contentType) throw new FrameworkError('notes.wrong_type', 'no such attachments', { statusCode: 415 });
      await store.put({ ref: await refOf(params), payload, contentType });
      return created({ bytes: payload.byteLength }, `/notes/${params.id}/attachments/${params.name}`);
    }),
    Authenticated('notes:write'),
  );
  app.get(
    '/notes/{id}/attachments/{name}',
    bind({ params: AttachmentParams }, async (ctx, { params }) => {
      const options = { signal: ctx.signal };
      const found = await store.get({ ref: await refOf(params), maxBytes: MAX_ATTACHMENT_BYTES }, options);
      return binary(200, found.payload, found.contentType);
    }),
    Authenticated('notes:read'),
  );
  app.post(
    '/notes/{id}/attachments/{name}/upload',
    bind({ params: AttachmentParams, body: Upload, response: Grant, status: 201 }, async (_ctx, { params, body }) => {
      const limits = { maxBytes: MAX_ATTACHMENT_BYTES, expiresIn: GRANT_SECONDS };
      const grant = await grants.presignPut({ ref: await refOf(params), ...body, ...limits });
      const { method, url, headers } = grant;
      const location = `/notes/${params.id}/attachments/${params.name}`;
      return created({ method, url, headers, expiresAt: grant.expiresAt.toISOString() }, location);
    }),
    Authenticated('notes:write'),
  );
}
