import { readWeights } from './read-weights.js';

/** Made by documents/test/bench/extraction/fit.mjs; not written by hand. */
export const WEIGHTS = readWeights(`
  date: bias -2.63, label 1.785, quoted 1, length 2.267, marked -0.719, first 0.314, foreign -4.025,
    neutral -0.227, rival -3.116, after 0.981, right -1.247, below 0.858, before -1.027, rank -0.763,
    order -1.241, look 3.093, top -1.237, firstPage 1.632, lastPage -1.295, early 1.671, late -0.77, size 0.75,
    bold 1.027, repeats -0.393, largest 0.051, row -0.05, lone 0.685, narrow 1, doubt -1.422, twin -1.622,
    unnamed -3.784, misfit -4;
  amount: bias -2.987, label 2.404, quoted 1, length 1.46, marked -0.282, first -0.287, foreign -3.259,
    neutral -0.165, rival -3.028, after 0.61, right 1.15, below -0.038, next -0.376, before -0.905, rank -1.265,
    order -1.144, look 2.136, top -0.071, firstPage -0.115, lastPage 0.365, early 0.03, late 0.088, size 0.649,
    bold 0.171, repeats -0.16, largest 0.935, zero -0.918, paid 1.784, summed 1.505, row -1.038, lone 0.26,
    narrow 1, doubt -1.715, twin -0.966, unnamed -2.686, misfit -4;
  number: bias -2.905, label 3, quoted 1, length 0.8, marked 0.6, first 0.3, foreign -2.5, neutral -0.4,
    rival -3, after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 0.998, top -0.026,
    firstPage -0.055, lastPage -0.171, early -0.052, late -0.043, repeats 0.265, zero -0.061, row -0.143,
    lone -0.358, narrow 0.8, unnamed -3.405, misfit -4;
  identifier: bias -2.361, label 3.163, quoted 1, length 0.883, marked 0.655, first 1.021, foreign -2.725,
    neutral -0.418, rival -3.138, after 1.55, right 1.466, below 0.509, next -0.727, before -1.312, rank -2.015,
    order -1.323, look 1.867, top 0.546, firstPage 0.132, lastPage 0.007, early 0.041, late -0.014, size 0.376,
    bold 0.412, repeats -0.083, row -0.104, lone 0.265, narrow 0.5, unnamed -3.046, misfit -4;
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
  company: bias -5.349, label 2.516, quoted 1, length 0.302, marked 0.776, first 1.083, foreign -5.019,
    neutral -0.547, rival -3.11, after -0.93, right 1.514, below -0.711, next -0.018, before 2.299, rank -1.086,
    order -1.2, top 2.656, firstPage 1.233, lastPage 0.057, early 2.466, size 1.089, bold 0.804, repeats 0.4,
    company 4.684, web 3.222, names -0.291, lone 0.447, narrow 0.5, long -1.13, letters 0.605, read 1.713,
    words 1.002, unnamed -2.921, misfit -4;
  person: bias -2.48, label 3, quoted 1, length 0.8, marked 0.6, first 0.3, foreign -2.5, neutral -0.4,
    rival -3, after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 1.86, top 1.35,
    firstPage 0.52, early 1.619, size 2.126, bold 0.3, repeats 0.4, company -1.502, web 0.269, lone 0.263,
    narrow 0.5, long -1.056, letters 0.049, read 0.019, words 0.095, unnamed -2, misfit -4;
  title: bias -3.253, label 2.581, quoted 1, length 0.656, marked 0.6, first 0.281, foreign -2.956,
    neutral -0.566, rival -3, after 0.545, right 0.799, below 0.27, next -0.007, before -1, rank -0.825,
    order -1.2, top 2.335, firstPage 0.339, early 1.601, size 0.724, bold 0.492, repeats 0.4, names 1, lone 0.007,
    narrow 0.5, long 0.727, letters 1.109, read -1.015, words 0.309, unnamed -3.036, misfit -4;
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
