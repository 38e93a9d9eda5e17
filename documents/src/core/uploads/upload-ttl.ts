/** Seconds after which an upload expires that gets no further part. */
export const UPLOAD_TTL_SECS = 7 * 24 * 3_600;
