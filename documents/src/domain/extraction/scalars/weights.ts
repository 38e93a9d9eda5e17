import { readWeights } from './read-weights.js';

/** Made by documents/test/bench/extraction/fit.mjs; not written by hand. */
export const WEIGHTS = readWeights(`
  date: bias -2.736, label 1.945, quoted 1, length 2.27, marked -0.356, first 0.462, foreign -4.088,
    neutral -0.23, rival -3, after 1.073, right -1.164, below 0.852, before -1.031, rank -0.777, order -1.246,
    look 3.03, top -1.199, firstPage 1.622, lastPage -1.343, early 1.58, late -0.705, size 0.63, bold 0.995,
    repeats -0.304, largest -0.1, row -0.064, lone 0.564, narrow 1, unnamed -3.593, misfit -4;
  amount: bias -3.012, label 1.947, quoted 1, length 1.033, marked -0.079, first -0.303, foreign -2.901,
    neutral -0.157, rival -3, after 0.839, right 0.839, below 0.017, next -0.451, before -1.325, rank -1.396,
    order -1.137, look 2.319, top -0.168, firstPage -0.028, lastPage 0.386, early -0.023, late 0.129, size 0.533,
    bold 0.314, repeats 0.058, largest 0.886, zero -0.984, paid 1.468, row -1.23, lone 0.635, narrow 1,
    unnamed -2.828, misfit -4;
  number: bias -2.905, label 3, quoted 1, length 0.8, marked 0.6, first 0.3, foreign -2.5, neutral -0.4,
    rival -3, after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 0.998, top -0.026,
    firstPage -0.055, lastPage -0.171, early -0.052, late -0.043, repeats 0.265, zero -0.061, row -0.143,
    lone -0.358, narrow 0.8, unnamed -3.405, misfit -4;
  identifier: bias -2.361, label 3.163, quoted 1, length 0.883, marked 0.65, first 1.018, foreign -2.726,
    neutral -0.447, rival -3.145, after 1.543, right 1.466, below 0.512, next -0.724, before -1.312, rank -2.014,
    order -1.323, look 1.865, top 0.546, firstPage 0.132, lastPage 0.007, early 0.046, late -0.014, size 0.372,
    bold 0.416, repeats -0.081, row -0.098, lone 0.268, narrow 0.5, unnamed -3.047, misfit -4;
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
  company: bias -5.452, label 2.843, quoted 1, length 1.24, marked 0.224, first 0.887, foreign -4.792,
    neutral -0.713, rival -3.079, after -0.599, right 0.98, below -0.293, next -0.015, before 2.408, rank -0.881,
    order -1.2, top 3.246, firstPage 2.053, lastPage 0.048, early 2.389, size 1.137, bold 0.214, repeats 0.4,
    company 4.638, web 2.959, names -0.072, lone 0.279, narrow 0.5, long -0.983, letters 0.549, read 2.129,
    words 1.206, unnamed -3.255, misfit -4;
  person: bias -2.48, label 3, quoted 1, length 0.8, marked 0.6, first 0.3, foreign -2.5, neutral -0.4,
    rival -3, after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 1.86, top 1.35,
    firstPage 0.52, early 1.619, size 2.126, bold 0.3, repeats 0.4, company -1.502, web 0.269, lone 0.263,
    narrow 0.5, long -1.056, letters 0.049, read 0.019, words 0.095, unnamed -2, misfit -4;
  title: bias -3.305, label 2.495, quoted 1, length 0.627, marked 0.6, first 0.282, foreign -3.053,
    neutral -0.6, rival -3, after 0.482, right 0.782, below 0.248, next -0.007, before -1, rank -0.83, order -1.2,
    top 2.336, firstPage 0.389, early 1.199, size 1.043, bold 0.491, repeats 0.4, names 1, lone 0.017, narrow 0.5,
    long 0.862, letters 1.052, read -0.904, words 0.446, unnamed -3.011, misfit -4;
  place: bias -2.38, label 3.114, quoted 1, length -0.091, marked 0.6, first 0.3, foreign -2.639, neutral 1.349,
    rival -3, after 1.526, right 0.9, below 0.239, before -1, rank -0.8, order -1.2, look 1.649, top -0.178,
    firstPage -0.979, early -0.13, size -0.011, bold -0.004, company -0.001, lone -0.045, narrow 0.5, long -0.056,
    letters 0.172, read 0.118, words 0.131, unnamed -4.045, misfit -4;
  address: bias -1.222, label 3, quoted 1, length 0.8, marked 0.6, first 0.3, foreign -2.5, neutral -0.4,
    rival -3, after 0.8, right 0.9, below 0.4, before -1, rank -0.8, order -1.2, look 2.226, top 0.995,
    firstPage 0.578, early 1.107, size 0.05, repeats 0.4, largest 1.136, narrow 0.5, long 0.57, unnamed -2,
    misfit -4;
  passage: bias -1.241, label 3.261, quoted 1, length 1.174, marked 0.6, first 0.3, foreign -2.47, neutral -0.4,
    rival -3, after 0.529, right 0.9, below 0.53, before -1, rank -0.8, order -1.2, top 0.028, firstPage 0.13,
    early 1.099, size 0.036, repeats 0.4, names 0.589, narrow 0.5, long 0.827, misfit -4;
`);
