import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import type { RateKind } from '../../core/access/admit-request.js';
import { PUBLIC_METADATA, RATE_METADATA, SCOPE_METADATA, type NeededScope } from './scopes.decorator.js';

/** Who may call a route, as it declares it. */
export type Admittance =
  | { by: 'scope'; scope: NeededScope }
  | { by: 'public'; reason: string }
  /** Nobody: a defect, which a test looks for. */
  | { by: 'nothing' };

export interface DeclaredRoute {
  method: string;
  /** `/api/projects/:id` */
  path: string;
  /** `ProjectsController.readProject` */
  handler: string;
  admittance: Admittance;
  /** The bucket in which its requests are counted. */
  rate: RateKind;
}

/** Every route of the controllers with what it declares, in the order of their paths. Works on those of an application in preview, too. */
export function declaredRoutes(modules: ModulesContainer): DeclaredRoute[] {
  const controllers = [...modules.values()].flatMap((module) => [...module.controllers.values()]);
  const routes = controllers.flatMap(({ metatype }) => (typeof metatype === 'function' ? routesOf(metatype) : []));
  return routes.sort((a, b) => `${a.path} ${a.method}`.localeCompare(`${b.path} ${b.method}`, 'en'));
}

/** What a handler declares. */
export function admittanceOf(handler: object): Admittance {
  const reason = Reflect.getMetadata(PUBLIC_METADATA, handler) as string | undefined;
  if (reason !== undefined) return { by: 'public', reason };
  const scope = Reflect.getMetadata(SCOPE_METADATA, handler) as NeededScope | undefined;
  return scope === undefined ? { by: 'nothing' } : { by: 'scope', scope };
}

function routesOf(controller: object): DeclaredRoute[] {
  const { name, prototype } = controller as { name: string; prototype: Record<string, object> };
  const prefixes = [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((method) => {
    const handler = prototype[method];
    const paths = handler && (Reflect.getMetadata(PATH_METADATA, handler) as string | string[] | undefined);
    if (handler === undefined || paths === undefined) return [];
    const verb = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
    const admittance = admittanceOf(handler);
    const rate = (Reflect.getMetadata(RATE_METADATA, handler) as RateKind | undefined) ?? 'requests';
    return prefixes.flatMap((prefix) =>
      [paths]
        .flat()
        .map((path) => ({ method: verb, path: join(prefix, path), handler: `${name}.${method}`, admittance, rate })),
    );
  });
}

function join(prefix: string, path: string): string {
  const parts = [prefix, path].map((part) => part.replace(/^\/|\/$/g, '')).filter((part) => part !== '');
  return `/${parts.join('/')}`;
}
