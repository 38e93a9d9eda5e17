import { RequestMethod, type INestApplicationContext } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import {
  BROWSER_SESSION_METADATA,
  OPERATOR_PLANE_METADATA,
  PERMISSION_METADATA,
  PUBLIC_METADATA,
  TRIGGER_TOKEN_METADATA,
  type BrowserRefusal,
  type PermissionName,
} from './permission.decorator.js';

/** Who may call a route, as it declares it. */
export type Admission =
  /** `browserOnly` is false, or how whoever lacks a browser session is refused. */
  | { by: 'permission'; permission: PermissionName; browserOnly: BrowserRefusal | false }
  | { by: 'operator' }
  | { by: 'trigger-token' }
  | { by: 'public'; reason: string }
  /** Nobody: a defect, which a test looks for. */
  | { by: 'nothing' };

export interface DeclaredRoute {
  method: string;
  /** `/v1/agents/:id` */
  path: string;
  /** `AgentsController.readAgent` */
  handler: string;
  admission: Admission;
}

/** Every route of the controllers with what it declares, in the order of their paths. Works on an application in preview, too. */
export function declaredRoutes(app: INestApplicationContext): DeclaredRoute[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  const routes = controllers.flatMap(({ metatype }) => (typeof metatype === 'function' ? routesOf(metatype) : []));
  return routes.sort((a, b) => compare(a.path, b.path) || compare(a.method, b.method));
}

function routesOf(controller: object): DeclaredRoute[] {
  const { name, prototype } = controller as { name: string; prototype: Record<string, object> };
  const prefix = Reflect.getMetadata(PATH_METADATA, controller) as string;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((method) => {
    const handler = prototype[method];
    const paths =
      handler === undefined ? undefined : (Reflect.getMetadata(PATH_METADATA, handler) as string | string[]);
    if (handler === undefined || paths === undefined) return [];
    const verb = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
    const admission = admissionOf([handler, controller]);
    return [paths].flat().map((path) => ({
      method: verb,
      path: `/${[prefix, path]
        .map((part) => part.replace(/^\/|\/$/g, ''))
        .filter(Boolean)
        .join('/')}`,
      handler: `${name}.${method}`,
      admission,
    }));
  });
}

/** What a route declares. @param targets the handler, then its controller */
export function admissionOf(targets: readonly object[]): Admission {
  const declared = (metadata: string): unknown =>
    targets.map((target) => Reflect.getMetadata(metadata, target) as unknown).find((value) => value !== undefined);
  const reason = declared(PUBLIC_METADATA);
  if (typeof reason === 'string') return { by: 'public', reason };
  if (declared(TRIGGER_TOKEN_METADATA) === true) return { by: 'trigger-token' };
  if (declared(OPERATOR_PLANE_METADATA) === true) return { by: 'operator' };
  const permission = declared(PERMISSION_METADATA) as PermissionName | undefined;
  if (permission === undefined) return { by: 'nothing' };
  const refusal = declared(BROWSER_SESSION_METADATA) as BrowserRefusal | undefined;
  return { by: 'permission', permission, browserOnly: refusal ?? false };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
