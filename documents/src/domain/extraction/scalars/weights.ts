import { readWeights } from './read-weights.js';

/** Made by documents/test/bench/extraction/fit.mjs; not written by hand. */
export const WEIGHTS = readWeights(`
  date: bias -2.683, label 1.923, quoted 1, length 2.257, marked -0.344, first 0.456, foreign -4.108,
    neutral -0.24, rival -3, after 1.043, right -1.161, below 0.858, before -1.03, rank -0.788, order -1.242,
    look 3.062, top -1.271, firstPage 1.618, lastPage -1.32, early 1.726, late -0.804, size 0.675, bold 1.005,
    repeats -0.343, largest 0.03, row -0.061, lone 0.573, narrow 1, doubt -1.377, twin -1.627, unnamed -3.683,
    misfit -4;
  amount: bias -3.004, label 2.456, quoted 1, length 1.452, marked -0.274, first -0.32, foreign -3.166,
    neutral -0.101, rival -3.005, after 0.673, right 1.172, below 0.009, next -0.362, before -0.998, rank -1.197,
    order -1.14, look 2.087, top -0.085, firstPage -0.115, lastPage 0.348, early 0.023, late 0.078, size 0.651,
    bold 0.162, repeats -0.132, largest 0.938, zero -0.926, paid 1.782, summed 1.5, row -1.077, lone 0.282,
    narrow 1, doubt -1.714, twin -0.966, unnamed -2.674, misfit -4;
  number: bias -2.905, label 3, quoted 1, length 0.8, marked 0.6, first 0.3, foreign -2.5, neutral -0.4,
    rival -3, after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 0.998, top -0.026,
    firstPage -0.055, lastPage -0.171, early -0.052, late -0.043, repeats 0.265, zero -0.061, row -0.143,
    lone -0.358, narrow 0.8, unnamed -3.405, misfit -4;
  identifier: bias -2.361, label 3.163, quoted 1, length 0.883, marked 0.651, first 1.019, foreign -2.726,
    neutral -0.416, rival -3.146, after 1.546, right 1.467, below 0.51, next -0.725, before -1.312, rank -2.016,
    order -1.323, look 1.87, top 0.547, firstPage 0.132, lastPage 0.007, early 0.044, late -0.014, size 0.376,
    bold 0.413, repeats -0.082, row -0.104, lone 0.264, narrow 0.5, unnamed -3.047, misfit -4;
  code: bias -3.083, label 1.653, quoted 1, length 0.948, marked 0.8, first -0.758, foreign -2.747,
    neutral -0.555, rival -3, after 0.841, right 0.63, below -0.222, next -0.111, before -1.12, rank -0.869,
    order -1.391, look 2.839, top -0.775, firstPage -0.472, lastPage -0.612, early -0.23, late -0.088, size 0.151,
    bold 0.713, repeats -0.179, row -0.718, narrow 0.5, unnamed -1.5, misfit -4;
  contact: bias -1, label 3, quoted 1, length 0.8, marked 0.6, first 0.3, foreign -2.5, neutral -0.4, rival -3,
    after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 2, firstPage 0.5, early 0.5,
    repeats 0.4, narrow 0.5, misfit -4;
  currency: bias 0.128, label 2.636, quoted 1, length 0.648, marked 0.503, first 0.3, foreign -2.798,
    neutral -0.226, rival -3, after 0.283, right 0.9, below 0.188, before -0.676, rank -0.916, order -1.367,
    look 2.437, top 0.384, firstPage 0.897, lastPage 0.106, early 0.989, late 0.202, size 0.009, bold 0.386,
    repeats 1.585, row 0.001, narrow 0.5, misfit -4;
  choice: bias -1.726, label 3, quoted 1, length 0.8, marked 0.6, first 0.3, foreign -2.5, neutral -0.4,
    rival -3, after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 1.637, top 0.4,
    early -0.006, size -0.363, repeats 0.978, lone 0.358, narrow 0.5, long 0.118, unnamed -1.226, misfit -4;
  truth: bias -2.256, label 3.22, quoted 1, length 1.044, marked 0.6, first 0.3, foreign -2.5, neutral -0.4,
    rival -3, after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 1.5, repeats 0.4,
    names 0.744, narrow 0.5, unnamed -3, misfit -4;
  line: bias -1.903, label 3, quoted 1, length 0.8, marked 0.6, first 0.3, foreign -2.5, neutral -0.4, rival -3,
    after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 0.3, top -0.821, firstPage 0.597,
    early -0.32, size 2.577, repeats 0.4, company -0.01, names 0.8, lone 0.597, narrow 0.5, long -0.623,
    letters -0.902, read 0.591, words -1.109, unnamed -2.903, misfit -4;
  company: bias -5.439, label 2.721, quoted 1, length 1.065, marked 0.205, first 0.908, foreign -4.791,
    neutral -0.763, rival -3.05, after -0.617, right 1.02, below -0.408, next -0.013, before 2.333, rank -0.917,
    order -1.2, top 3.341, firstPage 1.973, lastPage 0.056, early 2.392, size 0.582, bold 0.298, repeats 0.4,
    company 4.717, web 2.953, names -0.041, lone 0.33, narrow 0.5, long -0.998, letters 0.529, read 1.606,
    words 1.316, unnamed -3.238, misfit -4;
  person: bias -2.48, label 3, quoted 1, length 0.8, marked 0.6, first 0.3, foreign -2.5, neutral -0.4,
    rival -3, after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 1.86, top 1.35,
    firstPage 0.52, early 1.619, size 2.126, bold 0.3, repeats 0.4, company -1.502, web 0.269, lone 0.263,
    narrow 0.5, long -1.056, letters 0.049, read 0.019, words 0.095, unnamed -2, misfit -4;
  title: bias -3.305, label 2.495, quoted 1, length 0.627, marked 0.6, first 0.282, foreign -3.053,
    neutral -0.6, rival -3, after 0.482, right 0.782, below 0.248, next -0.007, before -1, rank -0.83, order -1.2,
    top 2.336, firstPage 0.389, early 1.199, size 1.043, bold 0.491, repeats 0.4, names 1, lone 0.017, narrow 0.5,
    long 0.862, letters 1.052, read -0.904, words 0.446, unnamed -3.011, misfit -4;
  place: bias -2.3, label 3.186, quoted 1, length 1.337, marked 0.6, first 0.3, foreign -2.839, neutral 0.091,
    rival -3, after 1.315, right 0.9, below 0.547, before -1, rank -0.8, order -1.2, look 1.738, top -0.187,
    firstPage -1.015, early -0.136, size -0.014, bold -0.008, company -0.002, lone -0.062, narrow 0.5, long 0.124,
    letters 0.205, read 0.198, words 0.215, unnamed -4.062, misfit -4;
  address: bias -1.222, label 3, quoted 1, length 0.8, marked 0.6, first 0.3, foreign -2.5, neutral -0.4,
    rival -3, after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 2.226, top 0.995,
    firstPage 0.578, early 1.107, size 0.05, repeats 0.4, largest 1.136, narrow 0.5, long 0.57, unnamed -2,
    misfit -4;
  passage: bias -1.241, label 3.261, quoted 1, length 1.174, marked 0.6, first 0.3, foreign -2.47, neutral -0.4,
    rival -3, after 0.529, right 0.9, below 0.53, before -1, rank -0.8, order -1.2, top 0.028, firstPage 0.13,
    early 1.099, size 0.036, repeats 0.4, names 0.589, narrow 0.5, long 0.827, misfit -4;
`);
