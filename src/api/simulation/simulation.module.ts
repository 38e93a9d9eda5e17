import { Module } from '@nestjs/common';
import { SimulationController } from './simulation.controller.js';
import { SimulationService } from './simulation.service.js';
import { SimulationTurn } from './simulation-turn.js';

@Module({ controllers: [SimulationController], providers: [SimulationService, SimulationTurn] })
export class SimulationModule {}
