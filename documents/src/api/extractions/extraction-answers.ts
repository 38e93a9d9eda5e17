import { Readable } from 'node:stream';
import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answer, Failures } from '../openapi/answers.js';
import { ExtractionView } from './extraction-views.dto.js';
import { ExtractionResultView } from './result.dto.js';
import type { ResultAnswer } from './results.service.js';

const POLL_SECONDS = 2;

/** The answers of a result, in its formats. */
export const ResultAnswers = (): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(ExtractionResultView),
    ApiResponse({
      status: 200,
      description: 'The result of a run that is completed or partial.',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(ExtractionResultView) } },
        'application/x-ndjson': { schema: { type: 'string' } },
        'text/csv': { schema: { type: 'string' } },
      },
    }),
    Answer(ExtractionView, 'The run, which is not done yet; `Retry-After` says when to ask again.', 202),
    Failures(404, 409, 410, 413),
  );

export const CancelAnswers = (): MethodDecorator =>
  applyDecorators(
    Answer(ExtractionView, 'The run had ended, and is unchanged.', 200),
    Answer(ExtractionView, 'The run, which stops.', 202),
    Failures(404, 409, 415),
  );

/** Answers a result as it streams, or the run where there is none yet. */
export async function answerResult(
  { method }: Pick<FastifyRequest, 'method'>,
  reply: FastifyReply,
  answer: ResultAnswer,
): Promise<void> {
  if (!answer.isThere) {
    await reply.status(202).header('retry-after', String(POLL_SECONDS)).send(answer.run);
    return;
  }
  // Without a body its length is not known either: an empty stream has none.
  const body = method === 'HEAD' ? Readable.from([]) : answer.body;
  await reply.status(200).type(answer.contentType).send(body);
}
