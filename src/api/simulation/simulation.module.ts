import { Module } from '@nestjs/common';
import { SimulationController } from './simulation.controller.js';
import { SimulationService } from './simulation.service.js';
import { SimulationQueue } from './simulation-queue.js';

@Module({ controllers: [SimulationController], providers: [SimulationService, SimulationQueue] })
export class SimulationModule {}
